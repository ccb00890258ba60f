import { isIP } from "node:net";
import { parseArgs } from "node:util";
import { defined } from "../../base/json/defined.ts";
import { get, sendDatagram } from "./client.system.ts";
import { podFacts } from "./pod.ts";
import { parsePlace, reach } from "./reach.system.ts";
import { serve } from "./serve.system.ts";

const usage = `Usage: tandem-echo serve [--http-port 8080] [--udp-port 8080] [--listen ADDRESS,...]
       tandem-echo get URL [--timeout 2s] [--source ADDRESS]
       tandem-echo udp HOST:PORT TEXT [--timeout 2s] [--source ADDRESS]
       tandem-echo reach tcp|udp:ADDRESS:PORT... [--timeout 2s]

serve answers HTTP and UDP on every address of both families, or on those that are listed:
  /hostname               the name of the pod
  /healthz                200, or 503 after POST /ready?value=false
  /exit?code=N            ends the program with this code
  anything else           who asked, who answers, and what was asked, as JSON
get and udp print the answer; they exit with 1 when there is none, or a status of 400 and above.
reach tries all places at once and prints what came back from each: answered, refused, silent or an error.

  --http-port PORT        where serve answers HTTP; 8080 when not given
  --udp-port PORT         where serve answers datagrams; 8080 when not given
  --listen ADDRESS,...    the addresses that serve answers on, without ports
  --timeout TIME          how long get, udp and reach wait, such as 2s or 500ms; 2s when not given
  --source ADDRESS        where get and udp ask from
  --help                  this text
`;

export interface EchoContext {
  readonly environment: Readonly<Record<string, string | undefined>>;
  write(text: string): void;
  complain(text: string): void;
  /** Ends `serve`. */
  readonly signal?: AbortSignal;
}

/** Runs the program; returns its exit code. */
export async function runEcho(words: readonly string[], context: EchoContext): Promise<number> {
  try {
    const { values, positionals } = parseArgs({
      args: [...words],
      allowPositionals: true,
      options,
    });
    const [verb, ...rest] = positionals;
    if (values.help || verb === "help") {
      context.write(usage);
      return 0;
    }
    if (verb === "serve" && rest.length === 0) return await serving(values, context);
    const asking = { timeoutMs: parseDuration(values.timeout), source: values.source };
    const [target = "", text = ""] = rest;
    if (verb === "get" && rest.length === 1) return answered(await get(target, asking), context);
    if (verb === "udp" && rest.length === 2) {
      return answered({ ok: true, text: await sendDatagram(target, { ...asking, text }) }, context);
    }
    if (verb === "reach" && rest.length > 0) return await reaching(rest, asking.timeoutMs, context);
  } catch (error) {
    context.complain(`error: ${error instanceof Error ? error.message : String(error)}\n`);
    return 1;
  }
  context.complain(usage);
  return 2;
}

const options = {
  "http-port": { type: "string", default: "8080" },
  "udp-port": { type: "string", default: "8080" },
  listen: { type: "string" },
  timeout: { type: "string", default: "2s" },
  source: { type: "string" },
  help: { type: "boolean", default: false },
} as const;

async function serving(
  values: { "http-port": string; "udp-port": string; listen?: string },
  { environment, signal }: EchoContext,
): Promise<number> {
  return await serve({
    httpPort: parsePort("http-port", values["http-port"]),
    udpPort: parsePort("udp-port", values["udp-port"]),
    pod: () => podFacts(environment),
    ...defined({ listen: values.listen?.split(",").map(parseListen), signal }),
  });
}

async function reaching(
  places: readonly string[],
  timeoutMs: number,
  context: EchoContext,
): Promise<number> {
  const lines = await Promise.all(
    places.map(async (text) => `${text} ${await reach(parsePlace(text), timeoutMs)}\n`),
  );
  context.write(lines.join(""));
  return 0;
}

function answered(answer: { ok: boolean; text: string }, context: EchoContext): number {
  context.write(answer.text.endsWith("\n") ? answer.text : `${answer.text}\n`);
  return answer.ok ? 0 : 1;
}

function parseListen(text: string): string {
  const address = text.trim().replace(/^\[(.*)\]$/, "$1");
  if (isIP(address) !== 0) return address;
  const [, host = "", port] = /^(.*):(\d+)$/.exec(text.trim()) ?? [];
  const hint =
    isIP(host.replace(/^\[(.*)\]$/, "$1")) === 0
      ? "such as 0.0.0.0 or ::"
      : `without a port: --listen ${host} --http-port ${port} --udp-port ${port}`;
  throw new Error(`Cannot use --listen ${text}: expected an address ${hint}`);
}

function parsePort(name: string, text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new Error(`Cannot use --${name} ${text}: expected a port, from 0 to 65535`);
}

function parseDuration(text: string): number {
  const [, amount, unit] = /^(\d+(?:\.\d+)?)(ms|s)$/.exec(text) ?? [];
  if (amount === undefined)
    throw new Error(`Cannot wait ${text}: expected a time such as 2s or 500ms`);
  return Number(amount) * (unit === "s" ? 1000 : 1);
}
