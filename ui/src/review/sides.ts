/** Two states of one document that are looked at together: a proposal's before and after, or two revisions. */
import type { Backend, Change, DocumentInfo, PreviewTarget, Proposal, TextDiff } from '../backend';

export interface Sides {
  /** Changes when anything about the two states does. */
  key: string;
  document: DocumentInfo;
  before: PreviewTarget;
  after: PreviewTarget;
  changes: Change[];
  textDiff: () => Promise<TextDiff>;
  titles?: { before: string; after: string };
}

export function ofProposal(backend: Backend, document: DocumentInfo, proposal: Proposal): Sides {
  const { file_id } = document;
  const { proposal_id, base_rev, changes } = proposal;
  return {
    key: `${proposal_id} ${base_rev} ${changes.length}`,
    document,
    before: { file_id, side: 'before', proposal_id },
    after: { file_id, side: 'after', proposal_id },
    changes,
    textDiff: async () => (await backend.call('documents.diff', { file_id, proposal_id })).text_diff ?? { hunks: [], words: [] },
  };
}
