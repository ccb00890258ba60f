import { ParseError } from "./error.ts";
import { exactInteger } from "./integer.ts";
import { defaultMaxDepth, type ParseOptions } from "./options.ts";
import { readJson } from "./read-json.ts";
import { findTooDeep, scanJson } from "./scan.ts";
import { findSyntaxError } from "./syntax.ts";
import { decodeText } from "./text.ts";

/**
 * Parses a JSON body. Refuses, each with its reason and position: what is not UTF-8 or not JSON, nesting
 * beyond `maxDepth`, fields named `__proto__`, halves of surrogate pairs, and numbers that neither a double
 * nor an integer of 64 bits can hold (they would lose digits silently).
 */
export function parseJson(body: string | Uint8Array, options: ParseOptions = {}): unknown {
  const text = decodeText(body, options);
  const maxDepth = options.maxDepth ?? defaultMaxDepth;
  const tooDeep = findTooDeep(text, maxDepth);
  if (tooDeep !== undefined) {
    throw new ParseError(
      "TooDeep",
      `Cannot parse the body: more than ${maxDepth} levels at character ${tooDeep}`,
      { position: tooDeep },
    );
  }
  const value = parseSyntax(text);
  if (suspicious.test(text)) refuseUnsafe(text);
  if (options.onDuplicate !== undefined) tellDuplicates(text, options.onDuplicate);
  return value;
}

/** The signs of unsafe values; nearly all texts have none of them and need no scan. */
const suspicious = /\d{16}|[eE]\+?\d{3}|\\u(?:005[fF]|[dD][89a-fA-F])|__proto__/;

function parseSyntax(text: string): unknown {
  try {
    return readJson(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const position = findSyntaxError(text);
    const lines = text.slice(0, position).split("\n");
    const place = `line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}`;
    throw new ParseError("InvalidSyntax", `Cannot parse the body: no valid JSON at ${place}`, {
      position,
      cause: error,
    });
  }
}

function tellDuplicates(text: string, tell: (path: string) => void): void {
  scanJson(text, {
    field(_name, where) {
      if (where.repeated) tell(where.path());
    },
  });
}

function refuseUnsafe(text: string): void {
  scanJson(text, {
    field(name, where) {
      if (name === "__proto__") {
        throw new ParseError(
          "ForbiddenKey",
          `Cannot accept ${where.path()}: the name is reserved`,
          {
            position: where.position,
            field: where.path(),
          },
        );
      }
      refuseHalfPair(name, where);
    },
    number(source, where) {
      if (isExact(source)) return;
      throw new ParseError(
        "InvalidNumber",
        `Cannot accept ${where.path()}: the number ${source.slice(0, 40)} is out of range`,
        { position: where.position, field: where.path() },
      );
    },
    string: refuseHalfPair,
  });
}

function refuseHalfPair(text: string, where: { position: number; path: () => string }): void {
  if (text.isWellFormed()) return;
  throw new ParseError("InvalidText", `Cannot accept ${where.path()}: it is not valid Unicode`, {
    position: where.position,
    field: where.path(),
  });
}

/** Whether a number survives parsing. Fractions are approximate; integers must print as they were written. */
function isExact(source: string): boolean {
  if (!Number.isFinite(Number(source))) return false;
  return !/^-?\d+$/.test(source) || exactInteger(source) !== undefined;
}
