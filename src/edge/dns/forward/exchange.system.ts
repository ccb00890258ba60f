// Exchanges one query with one server: over UDP from a port of its own, over TCP when the answer is
// truncated.

import { createSocket } from "node:dgram";
import { once } from "node:events";
import { connect } from "node:net";
import type { Clock } from "../../../base/host/clock.ts";
import type { Random } from "../../../base/host/random.ts";
import type { HostPort } from "../../../base/program/network-option-types.ts";
import { classes, flags } from "../wire/codes.ts";
import { headerLength } from "../wire/query.ts";
import { largestDatagram } from "../wire/reply.ts";
import { type Question, readUpstreamAnswer, type UpstreamAnswer } from "../wire/upstream-answer.ts";

export interface UpstreamQuestion extends Question {
  readonly dnssecOk: boolean;
  readonly checkingDisabled: boolean;
}

export interface ExchangeOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly timeoutMs: number;
}

export type Exchange = (server: HostPort, question: UpstreamQuestion) => Promise<UpstreamAnswer>;

export function createExchange(options: ExchangeOptions): Exchange {
  return async (server, question) => {
    const [high = 0, low = 0] = options.random.bytes(2);
    const id = (high << 8) | low;
    const asked = { id, question, message: writeQuestion(id, question) };
    const answer = await overUdp(server, asked, options);
    return answer.isTruncated ? await overTcp(server, asked, options) : answer;
  };
}

interface Asked {
  readonly id: number;
  readonly question: UpstreamQuestion;
  readonly message: Buffer;
}

function writeQuestion(id: number, question: UpstreamQuestion): Buffer {
  const { name, type, dnssecOk, checkingDisabled } = question;
  const end = headerLength + name.length + 5;
  const message = Buffer.alloc(end + 11);
  const word = flags.recursionDesired | (checkingDisabled ? flags.checkingDisabled : 0);
  message.writeUInt16BE(id, 0);
  message.writeUInt16BE(word, 2);
  message[5] = 1;
  message[11] = 1;
  message.write(name, headerLength, "latin1");
  message.writeUInt16BE(type, end - 4);
  message.writeUInt16BE(classes.IN, end - 2);
  message[end + 2] = 41;
  message.writeUInt16BE(largestDatagram, end + 3);
  message[end + 7] = dnssecOk ? 0x80 : 0;
  return message;
}

/** Asks over UDP from a new, random port, which makes forging hard; connected, to hear of ICMP refusals. */
async function overUdp(
  server: HostPort,
  asked: Asked,
  options: ExchangeOptions,
): Promise<UpstreamAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<UpstreamAnswer>();
  const socket = createSocket(server.host.includes(":") ? "udp6" : "udp4");
  const timer = options.clock.setTimer(options.timeoutMs, () => reject(late(server, options)));
  socket.on("error", (error) => reject(failed(server, error)));
  socket.on("message", (message) => {
    const answer = readUpstreamAnswer(message, asked.question);
    // An answer that does not match may be forged: the true one may still come.
    if (answer?.id === asked.id) resolve(answer);
  });
  try {
    socket.connect(server.port, server.host, () => socket.send(asked.message));
    return await promise;
  } finally {
    timer.cancel();
    socket.close();
  }
}

async function overTcp(
  server: HostPort,
  asked: Asked,
  options: ExchangeOptions,
): Promise<UpstreamAnswer> {
  const socket = connect({ host: server.host, port: server.port });
  const timer = options.clock.setTimer(options.timeoutMs, () =>
    socket.destroy(late(server, options)),
  );
  try {
    await once(socket, "connect");
    const length = Buffer.alloc(2);
    length.writeUInt16BE(asked.message.length);
    socket.write(Buffer.concat([length, asked.message]));
    let received = Buffer.alloc(0);
    for await (const chunk of socket) {
      received = Buffer.concat([received, chunk as Buffer]);
      if (received.length < 2 || received.length < 2 + received.readUInt16BE(0)) continue;
      const message = received.subarray(2, 2 + received.readUInt16BE(0));
      const answer = readUpstreamAnswer(message, asked.question);
      if (answer?.id === asked.id) return answer;
      throw new Error("its answer is to another question");
    }
    throw new Error("it closed the connection");
  } catch (error) {
    throw error instanceof UpstreamError ? error : failed(server, error);
  } finally {
    timer.cancel();
    socket.destroy();
  }
}

class UpstreamError extends Error {
  override readonly name = "UpstreamError";
}

function late({ host, port }: HostPort, { timeoutMs }: ExchangeOptions): UpstreamError {
  return new UpstreamError(`Cannot ask ${host} port ${port}: no answer within ${timeoutMs} ms`);
}

function failed({ host, port }: HostPort, cause: unknown): UpstreamError {
  const state = cause instanceof Error ? cause.message : String(cause);
  return new UpstreamError(`Cannot ask ${host} port ${port}: ${state}`, { cause });
}
