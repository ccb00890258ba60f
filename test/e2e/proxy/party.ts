// A program that stands in each namespace: it answers on some ports, saying who it is and whom it sees,
// and makes connections when it is told to over a socket in the file system, which all namespaces share.
//
//   node party.ts NAME SOCKET

import { createSocket } from "node:dgram";
import { connect, createServer, type Socket } from "node:net";
import { eachLine } from "../../../src/base/host/process/lines.ts";

/** Connections to make, one after the other, up to the first that nobody answers. */
export interface Errand {
  readonly protocol: "tcp" | "udp" | "sctp";
  readonly address: string;
  readonly port: number;
  /** The address to come from. */
  readonly source?: string | undefined;
  /** The port to come from, of datagrams: all of them are one flow then. */
  readonly sourcePort?: number;
  readonly count: number;
  readonly timeoutMs: number;
}

/** Says something over a TCP connection that stays open, which is made when there is none. */
export interface Talk {
  readonly over: string;
  readonly address: string;
  readonly port: number;
  readonly say: string;
  readonly timeoutMs: number;
}

/** What came of each connection: "a:8080 10.1.0.5", what was said back, or the code of an error. */
export type Findings = readonly string[];

export const serverPorts = { tcp: [8080, 5354, 8001, 8002], udp: [8080, 5353] } as const;

async function carryOut(task: Errand | Talk): Promise<Findings> {
  return "over" in task ? [await talk(task)] : runErrand(task);
}

async function runErrand(errand: Errand): Promise<Findings> {
  const findings: string[] = [];
  for (let n = 0; n < errand.count; n++) {
    const finding = await (errand.protocol === "tcp" ? overTcp(errand) : overUdp(errand));
    findings.push(finding);
    if (finding === "ETIMEDOUT") break;
  }
  return findings;
}

function overTcp({ address, port, source, timeoutMs }: Errand): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ host: address, port, ...(source && { localAddress: source }) });
    const end = (finding: string): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(finding);
    };
    const timer = setTimeout(() => end("ETIMEDOUT"), timeoutMs);
    socket.on("error", (error: NodeJS.ErrnoException) => end(error.code ?? error.message));
    socket.on("data", (data) => end(data.toString().trim()));
    socket.on("close", () => end("closed"));
  });
}

function overUdp(errand: Errand): Promise<string> {
  const { address, port, source, sourcePort = 0, timeoutMs } = errand;
  return new Promise((resolve) => {
    const socket = createSocket(address.includes(":") ? "udp6" : "udp4");
    const end = (finding: string): void => {
      clearTimeout(timer);
      // A late error of a socket that is closed already concerns nobody.
      socket
        .removeAllListeners()
        .on("error", () => {})
        .close();
      resolve(finding);
    };
    const timer = setTimeout(() => end("ETIMEDOUT"), timeoutMs);
    socket.on("error", (error: NodeJS.ErrnoException) => end(error.code ?? error.message));
    socket.on("message", (data) => end(data.toString().trim()));
    socket.bind({ port: sourcePort, ...(source && { address: source }) }, () => {
      socket.connect(port, address, () => socket.send("who?"));
    });
  });
}

const open = new Map<string, Socket>();

/** Everything is heard that comes until the last word comes back. */
function talk({ over, address, port, say, timeoutMs }: Talk): Promise<string> {
  const socket = open.get(over) ?? connect({ host: address, port });
  open.set(over, socket);
  return new Promise((resolve) => {
    let heard = "";
    const end = (finding: string): void => {
      clearTimeout(timer);
      socket.removeAllListeners();
      socket.on("error", () => socket.destroy());
      resolve(finding);
    };
    const timer = setTimeout(() => end("ETIMEDOUT"), timeoutMs);
    socket.on("error", (error: NodeJS.ErrnoException) => end(error.code ?? error.message));
    socket.on("close", () => end("closed"));
    socket.on("data", (data) => {
      heard += data.toString();
      if (heard.endsWith(`${say}\n`)) end(heard.trim());
    });
    socket.write(`${say}\n`);
  });
}

/** Greets, and then repeats what it hears for as long as the connection stands. */
function greet(name: string, socket: Socket): void {
  socket.on("error", () => socket.destroy());
  socket.write(`${name}:${socket.localPort} ${socket.remoteAddress}\n`);
  socket.pipe(socket);
}

async function serve(name: string): Promise<void> {
  const started: Promise<void>[] = [];
  for (const host of ["0.0.0.0", "::"]) {
    const ipv6Only = host === "::";
    for (const port of serverPorts.tcp) {
      const server = createServer((socket) => greet(name, socket));
      started.push(new Promise((done) => server.listen({ host, port, ipv6Only }, done)));
    }
    for (const port of serverPorts.udp) {
      const socket = createSocket({ type: ipv6Only ? "udp6" : "udp4", ipv6Only });
      socket.on("message", (_, { address, port: from }) =>
        socket.send(`${name}:${port} ${address}\n`, from, address),
      );
      started.push(new Promise((done) => socket.bind(port, host, done)));
    }
  }
  await Promise.all(started);
}

/** One errand a line, one line of findings for each, in order. */
async function obey(path: string): Promise<void> {
  const server = createServer((socket) => {
    let turn = Promise.resolve();
    eachLine(socket, (line) => {
      const findings = carryOut(JSON.parse(line) as Errand | Talk);
      turn = turn.then(async () => void socket.write(`${JSON.stringify(await findings)}\n`));
    });
  });
  await new Promise<void>((done) => server.listen(path, done));
}

if (import.meta.main) {
  const [, , name = "", path = ""] = process.argv;
  if (name !== "") await serve(name);
  await obey(path);
  process.stdout.write("ready\n");
}
