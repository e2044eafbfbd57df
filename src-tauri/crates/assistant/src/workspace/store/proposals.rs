//! Rows of `proposals`: what waits for the user, and what was decided.

use rusqlite::{OptionalExtension, Row, Transaction, params};
use serde::{Deserialize, Serialize};

use super::{super::WorkspaceError, Store};

/// One row of `proposals`.
#[derive(Debug, Clone)]
pub(in super::super) struct ProposalRow {
    pub(in super::super) number: u64,
    pub(in super::super) body: String,
}

/// A proposal as it is to be stored.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(in super::super) struct DecidedProposal {
    pub(in super::super) number: u64,
    pub(in super::super) state: String,
    pub(in super::super) body: String,
}

impl Store {
    pub(in super::super) fn add_proposal(
        &mut self,
        file_id: &str,
        state: &str,
        body: &str,
    ) -> Result<u64, WorkspaceError> {
        self.write(|tx| {
            tx.execute(
                "INSERT INTO proposals (file_id, state, body) VALUES (?1, ?2, ?3)",
                params![file_id, state, body],
            )?;
            Ok(tx.last_insert_rowid().unsigned_abs())
        })
    }

    pub(in super::super) fn update_proposal(
        &mut self,
        decided: &DecidedProposal,
    ) -> Result<(), WorkspaceError> {
        self.write(|tx| decide(tx, decided))
    }

    pub(in super::super) fn proposal(&self, number: u64) -> Result<Option<ProposalRow>, WorkspaceError> {
        let mut statement =
            self.connection.prepare_cached("SELECT number, body FROM proposals WHERE number = ?1")?;
        Ok(statement.query_row(params![number], proposal_row).optional()?)
    }

    /// Proposals that wait for the user, oldest first.
    pub(in super::super) fn waiting_proposals(
        &self,
        file_id: Option<&str>,
    ) -> Result<Vec<ProposalRow>, WorkspaceError> {
        let mut statement = self.connection.prepare_cached(
            "SELECT number, body FROM proposals WHERE state IN ('pending', 'rebased', 'conflict')
             AND (?1 IS NULL OR file_id = ?1) ORDER BY number",
        )?;
        let rows = statement.query_map(params![file_id], proposal_row)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}

pub(super) fn proposal_row(row: &Row<'_>) -> rusqlite::Result<ProposalRow> {
    Ok(ProposalRow { number: row.get(0)?, body: row.get(1)? })
}

pub(super) fn decide(tx: &Transaction<'_>, decided: &DecidedProposal) -> Result<(), WorkspaceError> {
    tx.execute(
        "UPDATE proposals SET state = ?2, body = ?3 WHERE number = ?1",
        params![decided.number, decided.state, decided.body],
    )?;
    Ok(())
}
