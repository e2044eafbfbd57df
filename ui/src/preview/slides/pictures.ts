/** Pictures of slides, fetched when they come into view and kept as object URLs until the view goes. */
import type { Backend, PreviewTarget } from '../../backend';

export class Pictures {
  private readonly kept = new Map<string, Promise<string>>();

  constructor(private readonly backend: Backend, private readonly target: PreviewTarget) {}

  /** The address of a picture of a slide (0-based), about this many pixels wide. */
  slide(index: number, width: number): Promise<string> {
    const pixels = Math.ceil((width * devicePixelRatio) / 160) * 160;
    const key = `${index} ${pixels}`;
    let found = this.kept.get(key);
    if (!found) {
      found = this.backend.call('shell.slide_picture', { ...this.target, slide: index, width: pixels }).then((picture) => url(picture.png));
      this.kept.set(key, found);
    }
    return found;
  }

  forget(): void {
    for (const address of this.kept.values()) void address.then((text) => URL.revokeObjectURL(text), () => {});
    this.kept.clear();
  }
}

function url(base64: string): string {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at += 1) bytes[at] = text.charCodeAt(at);
  return URL.createObjectURL(new Blob([bytes], { type: 'image/png' }));
}
