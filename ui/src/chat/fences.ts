/** Splits an answer into what is said and the blocks that carry long text, also while the last block still grows. */

export type Piece = { kind: 'text'; text: string } | { kind: 'block'; info: string; text: string; open: boolean };

export function pieces(answer: string): Piece[] {
  const found: Piece[] = [];
  let fence: { mark: string; info: string; lines: string[] } | undefined;
  let said: string[] = [];
  const endText = () => {
    const text = said.join('\n').trim();
    if (text) found.push({ kind: 'text', text });
    said = [];
  };
  for (const line of answer.split('\n')) {
    const opening = /^(`{3,})([^`]*)$/.exec(line);
    if (fence) {
      if (opening && opening[2]?.trim() === '' && (opening[1] ?? '').length >= fence.mark.length) {
        found.push({ kind: 'block', info: fence.info, text: fence.lines.join('\n'), open: false });
        fence = undefined;
      } else fence.lines.push(line);
    } else if (opening) {
      endText();
      fence = { mark: opening[1] ?? '```', info: (opening[2] ?? '').trim(), lines: [] };
    } else said.push(line);
  }
  endText();
  if (fence) found.push({ kind: 'block', info: fence.info, text: fence.lines.join('\n'), open: true });
  return found;
}
