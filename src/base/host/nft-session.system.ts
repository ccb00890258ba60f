// A long-running nft(8) in its interactive mode, with a line for each transaction. A change then takes a
// third of a millisecond instead of fifteen: starting a process takes five of them, and a process that has
// deleted something exits only after an RCU grace period.

import { type FileHandle, mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CallOptions, Commands, RunningCommand } from "./command.ts";
import { commandFailed, restated } from "./error.ts";
import type { Nft } from "./nft.ts";

/** The length beyond which a script runs in a process of its own, whose start hardly matters to it. */
const longestScript = 32 * 1024;
const command = ["nft", "--interactive"];

/** An Nft that sends short scripts to one process, which runs until the signal aborts. */
export function sessionNft(nft: Nft, commands: Commands, signal: AbortSignal): Nft {
  let session: NftSession | undefined;
  /** The queue: transactions run one after the other. */
  let turn: Promise<unknown> = Promise.resolve();
  const opened = async (): Promise<NftSession> => {
    signal.throwIfAborted();
    if (session === undefined || session.hasEnded) {
      session = await NftSession.open(commands, signal);
    }
    return session;
  };
  const inTurn = <T>(work: (current: NftSession) => Promise<T> | T): Promise<T> => {
    const result = turn.then(async () => work(await opened()));
    turn = result.catch(() => undefined);
    return result;
  };
  return {
    ...nft,
    async apply(script: string, options?: CallOptions) {
      const isShort = script.length <= longestScript && isFlat(script);
      if (isShort) return inTurn((current) => current.apply(script));
      // The session is opened beside a long script, so that the next short one does not wait for nft to start;
      // an error shows up when that script runs.
      inTurn((current) => current.apply("")).catch(() => undefined);
      await nft.apply(script, options);
    },
  };
}

class NftSession {
  readonly #input: FileHandle;
  readonly #answers: Answers;
  #count = 0;
  hasEnded = false;

  private constructor(input: FileHandle, answers: Answers) {
    this.#input = input;
    this.#answers = answers;
  }

  static async open(commands: Commands, signal: AbortSignal): Promise<NftSession> {
    const input = await openPipe(commands);
    try {
      const answers = new Answers();
      const running: RunningCommand = await commands.start(
        ["sh", "-c", `exec ${command.join(" ")} <&3`],
        {
          descriptors: [input.fd],
          diesWithParent: true,
          onLine: (line, stream) => stream === "stderr" && answers.hear(line),
          signal,
        },
      );
      const session = new NftSession(input, answers);
      void running.exited.then(() => session.#end());
      return session;
    } catch (error) {
      await input.close();
      throw error;
    }
  }

  async apply(script: string): Promise<void> {
    const line = script.trim().replaceAll(/\s*\n\s*/g, " ; ");
    // The end of nft's answer is marked by a listing that fails with an error which names it: everything
    // before is about the line.
    const question = `list set ip tandem-session end-${this.#count++}`;
    // Both promises are awaited together: when nft dies, both may reject, and no rejection may go unhandled.
    const [stderr] = await Promise.all([
      this.#answers.until(question),
      this.#input.write(`${line}\n${question}\n`),
    ]);
    if (stderr === "") return;
    const error = commandFailed(command, { exitCode: 1, stderr });
    throw error.reason === "failed" ? restated(error, { reason: "invalid" }) : error;
  }

  async #end(): Promise<void> {
    this.hasEnded = true;
    this.#answers.end();
    await this.#input.close();
  }
}

/** The stderr of nft, cut into the answers to each line. */
class Answers {
  #said: string[] = [];
  #question = "";
  #answer: PromiseWithResolvers<string> | undefined;

  until(question: string): Promise<string> {
    this.#said = [];
    this.#question = question;
    this.#answer = Promise.withResolvers();
    return this.#answer.promise;
  }

  hear(line: string): void {
    if (line !== this.#question) {
      // The marks (^^^) below the previous question arrive late.
      if (this.#said.length > 0 || !/^[\s^~]*$/.test(line)) this.#said.push(line);
      return;
    }
    const own = this.#said.findLastIndex((said) => said.startsWith("Error:"));
    this.#answer?.resolve(this.#said.slice(0, Math.max(own, 0)).join("\n"));
    this.#said = [];
  }

  end(): void {
    const stderr = `it has ended: ${this.#said.join("\n")}`;
    this.#answer?.reject(commandFailed(command, { stderr }));
  }
}

/** Whether each line of a script is a complete command, so that all of them can be joined in one line. */
function isFlat(script: string): boolean {
  return script.split("\n").every((line) => {
    const [opening, closing] = ["{", "}"].map((brace) => line.split(brace).length);
    return opening === closing && !/[#\\]/.test(line);
  });
}

/** Opens a named pipe for both reading and writing, and removes its name at once. */
async function openPipe(commands: Commands): Promise<FileHandle> {
  const directory = await mkdtemp(join(tmpdir(), "tandem-nft-"));
  try {
    const path = join(directory, "input");
    await commands.run(["mkfifo", "-m", "600", path]);
    return await open(path, "r+");
  } finally {
    await rm(directory, { recursive: true });
  }
}
