// Errors of this machine's kernel and programs, with their reason as a value. Callers ask the predicates
// below.

type HostReason =
  | "not-found"
  | "already-exists"
  | "in-use"
  | "not-permitted"
  | "not-supported"
  | "not-installed"
  | "invalid"
  | "timed-out"
  | "too-large"
  | "failed";

interface HostErrorOptions extends ErrorOptions {
  readonly reason: HostReason;
}

export class HostError extends Error {
  override readonly name: string = "HostError";
  readonly reason: HostReason;

  constructor(message: string, options: HostErrorOptions) {
    super(message, options);
    this.reason = options.reason;
  }
}

interface Outcome {
  /** The exit code; absent when the program did not end by itself. */
  readonly exitCode?: number | undefined;
  readonly stdout?: string | undefined;
  readonly stderr?: string | undefined;
}

interface CommandErrorOptions extends HostErrorOptions, Outcome {
  readonly command: readonly string[];
}

/** A program that could not be started, was killed, or ended with another code than 0. */
export class CommandError extends HostError {
  override readonly name = "CommandError";
  readonly command: readonly string[];
  readonly exitCode: number | undefined;
  readonly stdout: string;
  readonly stderr: string;

  constructor(message: string, options: CommandErrorOptions) {
    super(message, options);
    this.command = options.command;
    this.exitCode = options.exitCode;
    this.stdout = options.stdout ?? "";
    this.stderr = options.stderr ?? "";
  }
}

export const isNotFound = hasReason("not-found");
export const isAlreadyExists = hasReason("already-exists");
export const isInUse = hasReason("in-use");
export const isNotPermitted = hasReason("not-permitted");
export const isNotSupported = hasReason("not-supported");
export const isNotInstalled = hasReason("not-installed");
export const isInvalid = hasReason("invalid");
export const isTimedOut = hasReason("timed-out");
export const isTooLarge = hasReason("too-large");

/** The reasons behind the messages of the kernel and the tools. The first match counts. */
const phrases: readonly (readonly [RegExp, HostReason])[] = [
  [
    /syntax error|is unknown, try|is wrong:|unknown option|expected rather than|COMMIT expected|name '.*' invalid/i,
    "invalid",
  ],
  [/File exists|already (?:exists|assigned)/i, "already-exists"],
  [/resource busy|Directory not empty/i, "in-use"],
  [/not permitted|Permission denied|must be root/i, "not-permitted"],
  [/not supported|Unknown device type|Function not implemented/i, "not-supported"],
  [/Too many open files in system|Message too long|No buffer space/i, "too-large"],
  [
    /No such (?:file|process|device|address)|Cannot (?:find device|assign requested)|does not exist|not found|Index of .* too big|does a matching rule exist|by that name/i,
    "not-found",
  ],
  [/Invalid argument/i, "invalid"],
];

export function reasonOf(stderr: string): HostReason {
  return phrases.find(([phrase]) => phrase.test(stderr))?.[1] ?? "failed";
}

/** The same failure with a better message or reason. */
export function restated(
  error: CommandError,
  { message = error.message, reason = error.reason }: { message?: string; reason?: HostReason },
): CommandError {
  const { command, exitCode, stdout, stderr } = error;
  return new CommandError(message, { command, reason, exitCode, stdout, stderr, cause: error });
}

/** The error of a program that ran and ended with another code than 0. */
export function commandFailed(command: readonly string[], outcome: Outcome): CommandError {
  const { exitCode, stderr = "", stdout = "" } = outcome;
  // Some programs print what is wrong to stdout, and some print nothing at all.
  const said = (stderr.trim() || stdout.trim()).slice(0, 1000);
  const why = said === "" ? "" : `: ${said}`;
  return new CommandError(`Cannot run ${command.join(" ")}: exit code ${exitCode}${why}`, {
    ...outcome,
    command,
    reason: reasonOf(stderr),
  });
}

function hasReason(reason: HostReason): (error: unknown) => error is HostError {
  return (error): error is HostError => error instanceof HostError && error.reason === reason;
}
