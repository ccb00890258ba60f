import { endOfString } from "./scan.ts";

/** The offset of the first token that makes a text invalid JSON; its length when it is cut short. */
export function findSyntaxError(text: string): number {
  const open: ("{" | "[")[] = [];
  let expected: Expected = "value";
  for (let at = 0; ; ) {
    const start = text.length - text.slice(at).trimStart().length;
    const sign = tokenAt(text, start);
    const next: Expected | undefined = sign === undefined ? undefined : step(expected, sign, open);
    if (sign === undefined || next === undefined) return start;
    expected = next;
    at = start + sign.length;
  }
}

function tokenAt(text: string, start: number): string | undefined {
  if (text[start] === '"') {
    const source = text.slice(start, endOfString(text, start) + 1);
    return isJson(source) ? source : undefined;
  }
  token.lastIndex = start;
  return token.exec(text)?.[0];
}

function isJson(source: string): boolean {
  try {
    JSON.parse(source);
    return true;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

type Expected =
  | "value"
  | "valueOrClose"
  | "name"
  | "nameOrClose"
  | "colon"
  | "commaOrClose"
  | "end";

/** The state after `sign` was read where `expected` was due; undefined when it is out of place. */
function step(expected: Expected, sign: string, open: ("{" | "[")[]): Expected | undefined {
  const after = (): Expected => (open.length === 0 ? "end" : "commaOrClose");
  switch (expected) {
    case "value":
    case "valueOrClose":
      if (sign === "{" || sign === "[") {
        open.push(sign);
        return sign === "{" ? "nameOrClose" : "valueOrClose";
      }
      if (expected === "valueOrClose" && sign === "]") break;
      return /^[,:}\]]/.test(sign) ? undefined : after();
    case "name":
    case "nameOrClose":
      if (sign.startsWith('"')) return "colon";
      if (expected === "nameOrClose" && sign === "}") break;
      return undefined;
    case "colon":
      return sign === ":" ? "value" : undefined;
    case "commaOrClose":
      if (sign === ",") return open.at(-1) === "{" ? "name" : "value";
      if (sign !== (open.at(-1) === "{" ? "}" : "]")) return undefined;
      break;
    case "end":
      return undefined;
  }
  open.pop();
  return after();
}

const token =
  /[{}[\],:]|(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-])/y;
