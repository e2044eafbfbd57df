/**
 * Markdown to HTML that cannot do anything: no HTML of the document passes, no picture loads, no link has an address that the
 * window could follow, no style attribute (the content security policy forbids those).
 */
import MarkdownIt from 'markdown-it';

const markdown = new MarkdownIt({ html: false, linkify: false, typographer: false });

markdown.renderer.rules.link_open = (tokens, index) => {
  const address = String(tokens[index]?.attrGet('href') ?? '');
  const safe = markdown.utils.escapeHtml(address);
  return `<span class="link" role="link" tabindex="0" title="${safe}" data-address="${safe}">`;
};
markdown.renderer.rules.link_close = () => '</span>';
markdown.renderer.rules.image = (tokens, index) => {
  const token = tokens[index];
  const words = token?.content || String(token?.attrGet('src') ?? '');
  return `<span class="picture" role="img">${markdown.utils.escapeHtml(words)}</span>`;
};

for (const rule of ['th_open', 'td_open'] as const) {
  markdown.renderer.rules[rule] = (tokens, index) => {
    const align = /text-align:\s*(left|center|right)/.exec(String(tokens[index]?.attrGet('style') ?? ''));
    return `<${rule.slice(0, 2)}${align ? ` class="${align[1]}"` : ''}>`;
  };
}

/** The front matter of a document is data about it, not text of it. */
export function withoutFrontMatter(text: string): string {
  const found = /^---\r?\n[\s\S]*?\r?\n---\r?\n/.exec(text);
  return found ? text.slice(found[0].length) : text;
}

export function render(text: string): string {
  return markdown.render(withoutFrontMatter(text));
}
