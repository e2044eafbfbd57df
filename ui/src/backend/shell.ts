/** The desktop shell's own requests (src-tauri/src/bridge.rs). */
import type { AppError } from './generated/AppError';
import type { DocumentInfo } from './generated/DocumentInfo';

type Nothing = Record<string, never>;

export interface Opened {
  opened: DocumentInfo[];
  failed: { name: string; error: AppError }[];
}

export interface RecentFile {
  path: string;
  name: string;
  folder: string;
}

/** What the page needs to draw itself for the first time. */
export interface Begin {
  documents: DocumentInfo[];
  failed: { name: string; error: AppError }[];
  /** The document that was asked for just now. */
  front: string | null;
  platform: string;
  first_start: boolean;
  /** Where the command line tool lies beside the app. */
  cli?: string | null;
}

export interface ParamsOfShell {
  'shell.open_dialog': Nothing;
  /** Samples come in this language when the settings follow the system. */
  'shell.open_samples': { language: 'en' | 'zh' };
  'shell.open_recent': { path: string };
  'shell.recent': Nothing;
  'shell.forget_recent': Nothing;
  'shell.relink_dialog': { file_id: string };
  'shell.open_link': { address: string };
  'shell.show_in_folder': { file_id: string };
  'shell.show_home': Nothing;
  'shell.theme': { theme: 'system' | 'light' | 'dark' };
  /** Slides count from 0; the width is in pixels. */
  'shell.slide_picture': { file_id: string; side: string; proposal_id?: string; slide: number; width: number };
}

export interface AnswersOfShell {
  'shell.open_dialog': Opened;
  'shell.open_samples': Opened;
  'shell.open_recent': Opened;
  'shell.recent': RecentFile[];
  'shell.forget_recent': Nothing;
  'shell.relink_dialog': DocumentInfo | null;
  'shell.open_link': Nothing;
  'shell.show_in_folder': Nothing;
  'shell.show_home': Nothing;
  'shell.theme': Nothing;
  'shell.slide_picture': { png: string };
}
