/** What crosses the boundary, in the words of the contract. Replaced piece by piece by the generated types. */

export type Format = 'text' | 'xlsx' | 'pptx' | 'docx';
export type DocumentState = 'ok' | 'changed_outside' | 'missing' | 'read_only' | 'locked' | 'unsupported';

export interface Warning {
  code: string;
  where?: string;
  message: string;
}

export interface DocumentInfo {
  file_id: string;
  path: string;
  name: string;
  format: Format;
  content_rev: number;
  size: number;
  state: DocumentState;
  pending_proposal?: string;
  warnings: Warning[];
}

export interface Change {
  op?: number;
  where: string;
  before?: string | null;
  after?: string | null;
  kind?: string;
}

export interface PackageReport {
  parts: number;
  changed: string[];
  added: string[];
  removed: string[];
}

export type ProposalState = 'pending' | 'rebased' | 'conflict' | 'accepted' | 'rejected';

export interface Proposal {
  proposal_id: string;
  file_id: string;
  base_rev: number;
  state: ProposalState;
  changes: Change[];
  warnings: Warning[];
  package?: PackageReport;
  ops: unknown[];
  summary: string;
  origin: string;
}

export interface AppError {
  code: string;
  status: number;
  op?: number;
  message: string;
  hint?: string;
  retry?: string;
  matches?: { where: string; text: string }[];
  content_rev?: number;
}

export interface Receipt {
  ok: boolean;
  status?: 'committed' | 'staged' | 'dry_run' | 'unchanged';
  file_id?: string;
  path?: string;
  previous_rev?: number;
  content_rev?: number;
  snapshot?: string;
  proposal_id?: string;
  changes?: Change[];
  package?: PackageReport;
  warnings?: Warning[];
  error?: AppError;
}

export interface Snapshot {
  id: string;
  at: string;
  content_rev: number;
  origin: string;
  summary: string;
  size: number;
  pinned: boolean;
}
