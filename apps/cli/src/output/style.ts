/** Colours and weights, if the terminal shows them. */

/** Puts text into a style. */
export type Paint = (text: string) => string;

/** The styles that the commands use. */
export interface Style {
  readonly bold: Paint;
  readonly dim: Paint;
  readonly red: Paint;
  readonly green: Paint;
  readonly yellow: Paint;
  readonly cyan: Paint;
}

const plain: Paint = (text) => text;
const code =
  (on: number, off: number): Paint =>
  (text) =>
    `\u001B[${on}m${text}\u001B[${off}m`;

const colored: Style = {
  bold: code(1, 22),
  dim: code(2, 22),
  red: code(31, 39),
  green: code(32, 39),
  yellow: code(33, 39),
  cyan: code(36, 39),
};
const bare: Style = { bold: plain, dim: plain, red: plain, green: plain, yellow: plain, cyan: plain };

/** The styles of a terminal. */
export function styleOf({ color }: { readonly color: boolean }): Style {
  return color ? colored : bare;
}

/** The width of text as a terminal shows it. */
export function widthOf(text: string): number {
  return Array.from(text.replaceAll(/\u001B\[\d+m/g, "")).length;
}
