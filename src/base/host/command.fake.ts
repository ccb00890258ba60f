import type {
  CommandExit,
  CommandOutput,
  Commands,
  OutputStream,
  ProcessOptions,
  RunningCommand,
  RunOptions,
  StartOptions,
} from "./command.ts";
import { commandFailed } from "./error.ts";

interface Call extends ProcessOptions {
  readonly command: readonly string[];
}

interface Answer {
  readonly stdout?: string;
  readonly stderr?: string;
  /** The exit code; anything but 0 makes `run` reject the way the real one does. */
  readonly exitCode?: number;
}

/** Records commands and returns the answers that a test has set; others succeed silently. */
export class FakeCommands implements Commands {
  readonly calls: Call[] = [];
  /** The programs that `start` has started, in order. */
  readonly started: FakeRunningCommand[] = [];
  readonly #answers: { readonly prefix: string; readonly answer: Answer | Error }[] = [];

  /** Sets the answer to every command that begins with these words. The answer set last counts. */
  answer(prefix: string, answer: Answer | Error): this {
    this.#answers.unshift({ prefix, answer });
    return this;
  }

  /** The calls as text, a paragraph for each: `[namespace] program arguments`, then its input, indented. */
  get text(): string {
    return this.calls.map(callText).join("\n");
  }

  async run(command: readonly string[], options: RunOptions = {}): Promise<CommandOutput> {
    options.signal?.throwIfAborted();
    this.calls.push({ command, ...options });
    const line = command.join(" ");
    const answer = this.#answers.find(({ prefix }) => line.startsWith(prefix))?.answer ?? {};
    if (answer instanceof Error) throw answer;
    const { exitCode = 0, stdout = "", stderr = "" } = answer;
    if (exitCode !== 0) throw commandFailed(command, { exitCode, stdout, stderr });
    return { stdout, stderr };
  }

  async start(command: readonly string[], options: StartOptions = {}): Promise<RunningCommand> {
    await this.run(command, options);
    const running = new FakeRunningCommand(1000 + this.started.length, options);
    this.started.push(running);
    return running;
  }
}

/** A running program that the test controls. */
export class FakeRunningCommand implements RunningCommand {
  readonly pid: number;
  readonly exited: Promise<CommandExit>;
  readonly signals: NodeJS.Signals[] = [];
  readonly #onLine: StartOptions["onLine"];
  readonly #exit: (exit: CommandExit) => void;

  constructor(pid: number, options: StartOptions) {
    const { promise, resolve } = Promise.withResolvers<CommandExit>();
    this.pid = pid;
    this.exited = promise;
    this.#exit = resolve;
    this.#onLine = options.onLine;
    options.signal?.addEventListener("abort", () => this.kill("SIGTERM"), { once: true });
  }

  say(line: string, stream: OutputStream = "stdout"): void {
    this.#onLine?.(line, stream);
  }

  exit(exit: CommandExit): void {
    this.#exit(exit);
  }

  kill(signal: NodeJS.Signals): void {
    this.signals.push(signal);
    if (signal === "SIGTERM" || signal === "SIGKILL") this.#exit({ signal });
  }

  stop(): Promise<CommandExit> {
    this.kill("SIGTERM");
    return this.exited;
  }
}

function callText({ command, namespace, stdin }: Call): string {
  const line = [...(namespace === undefined ? [] : [`[${namespace}]`]), ...command].join(" ");
  const input = stdin === undefined ? "" : Buffer.from(stdin).toString().trimEnd();
  return input === "" ? line : `${line}\n${input.replaceAll(/^/gm, "  ")}`;
}
