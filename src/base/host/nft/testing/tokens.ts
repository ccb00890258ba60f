import { CommandError } from "../../error.ts";

export interface Token {
  /** A word, a quoted string, or one of `{ } ; ,`; "\n" ends a line. */
  readonly text: string;
  readonly line: number;
  /** Whether the token follows the one before without a space. */
  readonly glued: boolean;
}

const pattern = /(\\\n|[^\S\n]+|#[^\n]*)|("[^"\n]*"|@[^\s{};"#]+|[{};,\n]|[^\s{};,"#]+|")/gy;

export function tokenize(script: string): readonly Token[] {
  const tokens: Token[] = [];
  let line = 1;
  let glued = false;
  for (const [, space, text] of script.matchAll(pattern)) {
    if (text !== undefined) tokens.push({ text, line, glued });
    if (text === '"') throw refused({ text, line, glued }, "unterminated string");
    if (text === "\n" || space === "\\\n") line++;
    glued = text !== undefined;
  }
  return tokens;
}

export function isSeparator({ text }: Token): boolean {
  return text === "\n" || text === ";";
}

/** The error of a mistake that nft itself would find, in its words. */
export function refused(token: Token | undefined, state: string): CommandError {
  return nftError(token?.line ?? 1, { reason: "invalid", state: `syntax error, ${state}` });
}

/** The error that nft would report about a line of its input. */
export function nftError(
  line: number,
  { reason, state }: { reason: CommandError["reason"]; state: string },
): CommandError {
  const command = ["nft", "-f", "-"];
  const stderr = `/dev/stdin:${line}: Error: ${state}`;
  const message = `Cannot run ${command.join(" ")}: exit code 1: ${stderr}`;
  return new CommandError(message, { command, reason, exitCode: 1, stderr });
}
