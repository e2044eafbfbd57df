/** Which panels stand open and how wide, remembered between two starts. */

export interface Layout {
  documents: number;
  assistant: number;
  showDocuments: boolean;
  showAssistant: boolean;
  changeList: boolean;
}

const KEY = 'stet.layout';
export const BOUNDS = { documents: [170, 420], assistant: [280, 640] } as const;
const FIRST: Layout = { documents: 224, assistant: 344, showDocuments: true, showAssistant: true, changeList: true };
/** Below this width a side panel lies over the document instead of beside it. */
export const NARROW = 900;

export class Panels {
  layout: Layout = $state(read());
  width = $state(1280);

  narrow: boolean = $derived(this.width < NARROW);
  /** In a narrow window one panel at most lies over the document, and none at first. */
  private over: 'showDocuments' | 'showAssistant' | undefined = $state();

  documents: boolean = $derived.by(() => (this.narrow ? this.over === 'showDocuments' : this.layout.showDocuments));
  assistant: boolean = $derived.by(() => (this.narrow ? this.over === 'showAssistant' : this.layout.showAssistant));

  resize(panel: 'documents' | 'assistant', width: number): void {
    const [least, most] = BOUNDS[panel];
    this.layout[panel] = Math.round(Math.min(most, Math.max(least, width)));
    this.keep();
  }

  /** Takes an overlying panel away, after it did its work. */
  uncover(): void {
    this.over = undefined;
  }

  toggle(panel: 'showDocuments' | 'showAssistant' | 'changeList'): void {
    if (this.narrow && panel !== 'changeList') {
      this.over = this.over === panel ? undefined : panel;
      return;
    }
    this.layout[panel] = !this.layout[panel];
    this.keep();
  }

  /** More room for a review: both side panels away, or both back. */
  toggleBoth(): void {
    if (this.narrow) return this.uncover();
    const show = !(this.layout.showDocuments || this.layout.showAssistant);
    this.layout.showDocuments = show;
    this.layout.showAssistant = show;
    this.keep();
  }

  private keep(): void {
    try {
      localStorage.setItem(KEY, JSON.stringify(this.layout));
    } catch {
      // A full or forbidden store only costs the memory of a width.
    }
  }
}

function read(): Layout {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY) ?? '{}') as Partial<Layout>;
    return { ...FIRST, ...kept };
  } catch {
    return FIRST;
  }
}
