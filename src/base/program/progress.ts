// Reports steps that take a while: a spinner and check marks on a terminal, plain lines elsewhere.

export interface ProgressStream {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
  hasColors?(): boolean;
}

export interface Progress {
  /** Runs the work and reports how it ended and how long it took. Steps may run in parallel. */
  step<T>(name: string, work: () => Promise<T>): Promise<T>;
}

export function createProgress(
  stream: ProgressStream,
  now: () => number = () => performance.now(),
): Progress {
  const reporter = stream.isTTY === true ? terminalReporter(stream) : lineReporter(stream);
  return {
    async step(name, work) {
      const started = now();
      const elapsed = () => formatElapsed(now() - started);
      reporter.started(name);
      try {
        const result = await work();
        reporter.ended({ name, isDone: true, elapsed: elapsed() });
        return result;
      } catch (error) {
        reporter.ended({ name, isDone: false, elapsed: elapsed() });
        throw error;
      }
    },
  };
}

interface Outcome {
  readonly name: string;
  readonly isDone: boolean;
  readonly elapsed: string;
}

interface Reporter {
  started(name: string): void;
  ended(outcome: Outcome): void;
}

function lineReporter(stream: ProgressStream): Reporter {
  return {
    started: (name) => void stream.write(`${name} ...\n`),
    ended: ({ name, isDone, elapsed }) =>
      void stream.write(`${name} ${isDone ? "done" : "failed"} (${elapsed})\n`),
  };
}

const frames = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏";
const frameMs = 80;
const clearLine = "\r\x1b[K";

function terminalReporter(stream: ProgressStream): Reporter {
  const running: string[] = [];
  let frame = 0;
  let timer: NodeJS.Timeout | undefined;
  const paint = (code: number, text: string) =>
    stream.hasColors?.() === true ? `\x1b[${code}m${text}\x1b[0m` : text;
  const draw = () => {
    const names = running.join(", ").slice(0, (stream.columns ?? 80) - 3);
    stream.write(`${clearLine}${frames.charAt(frame++ % frames.length)} ${names}`);
  };
  return {
    started(name) {
      running.push(name);
      timer ??= setInterval(draw, frameMs).unref();
      draw();
    },
    ended({ name, isDone, elapsed }) {
      running.splice(running.indexOf(name), 1);
      const mark = isDone ? paint(32, "✓") : paint(31, "✗");
      stream.write(`${clearLine}${mark} ${name} (${elapsed})\n`);
      if (running.length > 0) return draw();
      clearInterval(timer);
      timer = undefined;
    },
  };
}

function formatElapsed(milliseconds: number): string {
  const rounded = Math.round(milliseconds);
  if (rounded < 1000) return `${rounded} ms`;
  if (rounded < 59_950) return `${(rounded / 1000).toFixed(1)} s`;
  const seconds = Math.round(rounded / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
