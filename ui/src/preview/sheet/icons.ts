/** The icons of conditional formats, drawn as small vector pictures; sets and their order are those of the standard (18.18.42). */

const NS = 'http://www.w3.org/2000/svg';
const [GREEN, YELLOW, RED, GREY, BLACK, PINK] = ['#3f9c5a', '#e0a51f', '#cf4436', '#7a817d', '#3a3f3c', '#e7a49c'];
const BLUE = '#3f6fb5';

type Piece = [name: string, attributes: Record<string, string | number>];

/** A picture of one icon of a set, counted from 0 for the least; sets that nobody knows are dots. */
export function icon(set: string, index: number): SVGSVGElement {
  const svg = document.createElementNS(NS, 'svg');
  svg.setAttribute('viewBox', '0 0 16 16');
  svg.setAttribute('class', 'icon');
  svg.setAttribute('aria-hidden', 'true');
  svg.dataset.icon = `${set} ${index}`;
  for (const [name, attributes] of pieces(set, index)) {
    const made = document.createElementNS(NS, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
    svg.append(made);
  }
  return svg;
}

function pieces(set: string, index: number): Piece[] {
  const count = Number(set[0]);
  const traffic = [RED, YELLOW, GREEN][index] ?? GREY;
  switch (set) {
    case '3Arrows':
      return [arrow([90, 0, -90][index] ?? 0, traffic)];
    case '3ArrowsGray':
      return [arrow([90, 0, -90][index] ?? 0, GREY)];
    case '4Arrows':
      return [arrow([90, 45, -45, -90][index] ?? 0, [RED, YELLOW, YELLOW, GREEN][index] ?? GREY)];
    case '4ArrowsGray':
      return [arrow([90, 45, -45, -90][index] ?? 0, GREY)];
    case '5Arrows':
      return [arrow([90, 45, 0, -45, -90][index] ?? 0, [RED, YELLOW, YELLOW, YELLOW, GREEN][index] ?? GREY)];
    case '5ArrowsGray':
      return [arrow([90, 45, 0, -45, -90][index] ?? 0, GREY)];
    case '3Flags':
      return [['path', { d: 'M4 2v12', stroke: BLACK, 'stroke-width': 1.4 }], ['path', { d: 'M4.6 2.4h8l-2.2 2.8 2.2 2.8h-8z', fill: traffic }]];
    case '3Signs':
      return sign(index);
    case '3Symbols':
      return [['circle', { cx: 8, cy: 8, r: 6.5, fill: traffic }], symbol(index, '#fff', 0.78)];
    case '3Symbols2':
      return [symbol(index, traffic, 1)];
    case '3Triangles':
      return [[['path', { d: 'M2.5 5h11L8 12z', fill: RED }], ['rect', { x: 2.5, y: 6.5, width: 11, height: 3, fill: YELLOW }], ['path', { d: 'M2.5 11h11L8 4z', fill: GREEN }]][index] as Piece];
    case '3Stars':
      return star(index / 2);
    case '3TrafficLights2':
      return [['rect', { x: 1, y: 1, width: 14, height: 14, rx: 3, fill: BLACK }], dot(traffic, 4.8)];
    case '4TrafficLights':
      return [dot([BLACK, RED, YELLOW, GREEN][index] ?? GREY)];
    case '4RedToBlack':
      return [dot([BLACK, GREY, PINK, RED][index] ?? GREY)];
    case '4Rating':
      return bars(index + 1);
    case '5Rating':
      return bars(index);
    case '5Quarters':
      return quarters(index);
    case '5Boxes':
      return boxes(index);
    default:
      return [dot(count === 3 ? traffic : GREY)];
  }
}

/** An arrow to the right, turned. */
function arrow(degrees: number, fill: string): Piece {
  return ['path', { d: 'M2 6.2h6V3l6 5-6 5V9.8H2z', fill, transform: `rotate(${degrees} 8 8)` }];
}

function dot(fill: string, r = 6): Piece {
  return ['circle', { cx: 8, cy: 8, r, fill }];
}

function sign(index: number): Piece[] {
  if (index === 0) return [['path', { d: 'M8 1.2 14.8 8 8 14.8 1.2 8z', fill: RED }]];
  if (index === 1) return [['path', { d: 'M8 1.8 15 14H1z', fill: YELLOW }]];
  return [dot(GREEN)];
}

/** A cross, an exclamation mark, a tick. */
function symbol(index: number, stroke: string, size: number): Piece {
  const d = ['M4 4l8 8M12 4l-8 8', 'M8 2.6v6.6M8 12.6v.6', 'M3 8.6l3.6 3.6L13 4.6'][index] ?? '';
  return ['path', { d, stroke, 'stroke-width': 2.4, 'stroke-linecap': 'round', fill: 'none', transform: `translate(8 8) scale(${size}) translate(-8 -8)` }];
}

function star(filled: number): Piece[] {
  const d = 'M8 1.6l2 4.2 4.6.5-3.4 3.1.9 4.6L8 11.7 3.9 14l.9-4.6L1.4 6.3 6 5.8z';
  const half = 'M8 1.6v10.1L3.9 14l.9-4.6L1.4 6.3 6 5.8z';
  const outline: Piece = ['path', { d, fill: '#fff', stroke: YELLOW, 'stroke-width': 1 }];
  if (filled === 0) return [outline];
  return [outline, ['path', { d: filled === 1 ? d : half, fill: YELLOW }]];
}

function bars(filled: number): Piece[] {
  return [0, 1, 2, 3].map((at) => ['rect', { x: 1.5 + at * 3.5, y: 11 - at * 3, width: 2.6, height: 3 + at * 3, fill: at < filled ? BLUE : '#d5d9d7' }]);
}

/** A pie with none to four of its quarters filled. */
function quarters(filled: number): Piece[] {
  const pie = ['', 'M8 8V2a6 6 0 0 1 6 6z', 'M8 2a6 6 0 0 1 0 12z', 'M8 8H2a6 6 0 1 0 6-6z', ''][filled] ?? '';
  const ground: Piece = ['circle', { cx: 8, cy: 8, r: 6, fill: filled === 4 ? BLACK : '#fff', stroke: BLACK, 'stroke-width': 1.2 }];
  return pie === '' ? [ground] : [ground, ['path', { d: pie, fill: BLACK }]];
}

function boxes(filled: number): Piece[] {
  const places = [[1.5, 8.5], [8.5, 8.5], [1.5, 1.5], [8.5, 1.5]];
  return places.map(([x, y], at) => ['rect', { x: x ?? 0, y: y ?? 0, width: 6, height: 6, fill: at < filled ? BLUE : '#fff', stroke: BLUE, 'stroke-width': 0.8 }]);
}
