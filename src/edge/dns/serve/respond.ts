// The interface between sockets and resolver, and the query log in between.

import type { Log } from "../../../base/program/log.ts";
import type { Origin, Resolver } from "../resolver.ts";
import { flags, rcodeName, typeName } from "../wire/codes.ts";
import { textOf } from "../wire/name.ts";
import { isRefusal, readQuery } from "../wire/query.ts";

/** Responds to a message; never throws; undefined for messages that must not be answered. */
export type Respond = (
  message: Buffer,
  origin: Origin,
) => Buffer | undefined | Promise<Buffer | undefined>;

export function createRespond(
  resolver: Resolver,
  { log, logsQueries }: { log: Log; logsQueries: boolean },
): Respond {
  const plain: Respond = (message, origin) => {
    try {
      return resolver.respond(message, origin);
    } catch (error) {
      log.error("Cannot answer a question", { message: message.toString("hex"), error });
      return undefined;
    }
  };
  return logsQueries ? logged(plain, log) : plain;
}

function logged(respond: Respond, log: Log): Respond {
  return (message, origin) => {
    const started = performance.now();
    const tell = (answer: Buffer | undefined): Buffer | undefined => {
      const query = readQuery(message);
      if (query === undefined || answer === undefined) return answer;
      const question = isRefusal(query)
        ? {}
        : { name: textOf(query.name), type: typeName(query.type) };
      log.info("query", {
        from: origin.from.address,
        protocol: origin.protocol,
        ...question,
        rcode: rcodeName(answer.readUInt16BE(2) & flags.rcode),
        bytes: answer.length,
        ms: Math.round((performance.now() - started) * 1000) / 1000,
      });
      return answer;
    };
    const answer = respond(message, origin);
    return answer instanceof Promise ? answer.then(tell) : tell(answer);
  };
}
