// Lays out text for a terminal.

/** Wraps paragraphs at blanks so that no line is longer than `width`; indented lines stay as they are. */
export function wrap(text: string, width: number): string[] {
  return text
    .split("\n")
    .flatMap((line) => (line.startsWith(" ") ? [line] : wrapLine(line, width)));
}

/** Lays out two columns; the right one is wrapped, and starts on its own line where the left is too long. */
export function twoColumns(
  rows: readonly Row[],
  options: { readonly width: number; readonly leftWidth?: number },
): string[] {
  const { width, leftWidth = leftWidthOf(rows) } = options;
  const padding = " ".repeat(indent.length + leftWidth);
  return rows.flatMap(([left, right]) => {
    const lines = wrap(right, Math.max(20, width - padding.length));
    const tail = lines.map((line) => (padding + line).trimEnd());
    if (left.length > widestLeft) return [indent + left, ...tail];
    return [`${indent}${left.padEnd(leftWidth)}${lines[0]}`.trimEnd(), ...tail.slice(1)];
  });
}

/** The width of the left column, for blocks that are to be aligned with each other. */
export function leftWidthOf(rows: readonly Row[]): number {
  const widths = rows.map(([left]) => left.length).filter((length) => length <= widestLeft);
  return Math.max(0, ...widths) + 3;
}

type Row = readonly [left: string, right: string];

const indent = "  ";
const widestLeft = 30;

function wrapLine(line: string, width: number): string[] {
  const lines: string[] = [];
  let current = "";
  for (const word of line.split(" ")) {
    if (current !== "" && current.length + 1 + word.length > width) {
      lines.push(current);
      current = word;
    } else {
      current = current === "" ? word : `${current} ${word}`;
    }
  }
  return [...lines, current];
}
