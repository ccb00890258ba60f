// The values of string and bytes literals.

const simple: Readonly<Record<string, string>> = {
  a: "\x07",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "\\": "\\",
  "'": "'",
  '"': '"',
  "`": "`",
  "?": "?",
};

/** Returns the text of a string literal; `undefined` when an escape sequence is not valid. */
export function unescapeString(literal: string): string | undefined {
  const { content, isRaw } = contentOf(literal);
  if (isRaw || !content.includes("\\")) return content;
  const parts = unescape(content, false);
  return parts && Buffer.concat(parts).toString();
}

/** Returns the bytes of a bytes literal, in which `\x` and octal escapes are single bytes. */
export function unescapeBytes(literal: string): Uint8Array | undefined {
  const { content, isRaw } = contentOf(literal.slice(1));
  if (isRaw || !content.includes("\\")) return new Uint8Array(Buffer.from(content));
  const parts = unescape(content, true);
  return parts && new Uint8Array(Buffer.concat(parts));
}

function contentOf(literal: string): { content: string; isRaw: boolean } {
  const text = literal.replaceAll("\r\n", "\n").replaceAll("\r", "\n");
  const isRaw = text[0] === "r" || text[0] === "R";
  const quoted = isRaw ? text.slice(1) : text;
  const isTriple = quoted.length >= 6 && /^(?:"""|''')/.test(quoted);
  const quotes = isTriple ? 3 : 1;
  return { content: quoted.slice(quotes, -quotes), isRaw };
}

const escape =
  /\\(?:([abfnrtv\\'"`?])|[xX]([\da-fA-F]{2})|u([\da-fA-F]{4})|U([\da-fA-F]{8})|([0-3][0-7]{2}))/y;

function unescape(content: string, isBytes: boolean): Buffer[] | undefined {
  const parts: Buffer[] = [];
  let offset = 0;
  while (offset < content.length) {
    const slash = content.indexOf("\\", offset);
    const end = slash < 0 ? content.length : slash;
    if (end > offset) parts.push(Buffer.from(content.slice(offset, end)));
    if (slash < 0) break;
    escape.lastIndex = slash;
    const found = escape.exec(content);
    const part = found === null ? undefined : unescaped(found, isBytes);
    if (found === null || part === undefined) return undefined;
    parts.push(part);
    offset = slash + found[0].length;
  }
  return parts;
}

function unescaped(found: RegExpExecArray, isBytes: boolean): Buffer | undefined {
  const [, letter, hex, short, long, octal] = found;
  if (letter !== undefined) return Buffer.from(simple[letter] ?? letter);
  const unicode = short ?? long;
  if (unicode !== undefined && isBytes) return undefined;
  const code =
    octal === undefined ? Number.parseInt(hex ?? unicode ?? "", 16) : Number.parseInt(octal, 8);
  if (isBytes) return Buffer.from([code]);
  const isValid = code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
  return isValid ? Buffer.from(String.fromCodePoint(code)) : undefined;
}
