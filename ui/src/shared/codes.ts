/** What the core says in English, in the person's language: by code where there is one, never by guessing at a sentence. */
import type { AppError, Warning } from '../backend';
import { has, t, words } from '../i18n/index.svelte';

export interface Told {
  /** In the person's language. */
  text: string;
  /** The core's own sentence, when it says more. */
  original?: string;
}

/** What to do about an error. English keeps the core's own hint, which knows the case. */
export function advice(error: AppError): string | undefined {
  const key = `advice.${error.code}`;
  if (words.language === 'en' && error.hint) return error.hint;
  return has(key) ? t(key) : error.hint;
}

export function warningText(warning: Warning): Told {
  const key = `warning.${warning.code}`;
  return words.language === 'en' || !has(key) ? { text: warning.message } : { text: t(key), original: warning.message };
}

/** `recalculated`, `accepted 3 changes` and the like. */
export function detailText(detail: string | null | undefined): string | undefined {
  const revisions = /^(accepted|rejected) (\d+) changes$/.exec(detail ?? '');
  if (revisions) return t(`detail.${revisions[1] as 'accepted' | 'rejected'}`, { count: Number(revisions[2]) });
  const key = `detail.${detail ?? ''}`;
  return has(key) ? t(key) : (detail ?? undefined);
}

export function operation(name: string): string {
  const key = `op.${name}`;
  return has(key) ? t(key) : name;
}

/** A summary that the core made from operation names; what a person or a model wrote stays. */
export function summaryText(summary: string): string {
  const made = /^(?:(\d+) operations: )?([a-z_]+(?:, [a-z_]+)*)$/.exec(summary);
  const names = made?.[2]?.split(', ') ?? [];
  if (!made || !names.every((name) => has(`op.${name}`))) return summary;
  const told = names.map(operation).join(t('list.comma'));
  return made[1] ? t('op.several', { count: Number(made[1]), names: told }) : told;
}
