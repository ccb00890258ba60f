// An API server of the simulated cluster: the core, cache, verbs and watches of the real one, without sockets.

import type { ApiRequest } from "../../../src/api/client/transport.ts";
import { Registry } from "../../../src/base/program/metrics.ts";
import { runCompaction } from "../../../src/control/apiserver/compaction.ts";
import type { Core } from "../../../src/control/apiserver/core.ts";
import { toStatusError } from "../../../src/control/apiserver/errors.ts";
import type { HttpResponse } from "../../../src/control/apiserver/http/message.ts";
import { sendError } from "../../../src/control/apiserver/http/respond.ts";
import { openCore } from "../../../src/control/apiserver/open-core.ts";
import { requestInfo } from "../../../src/control/apiserver/request-info.ts";
import { route } from "../../../src/control/apiserver/route.ts";
import type { Store } from "../../../src/control/store/store.ts";
import { quietLog } from "../log.ts";
import type { Process } from "../process.ts";
import { toHttpRequest } from "./http.ts";

const administrator = { name: "admin", groups: ["system:masters"] };
/** The interval of compaction, short enough that watches meet it. */
const compactionMs = 20_000;

export class Server {
  readonly process: Process;
  readonly core: Core;

  constructor(process: Process, core: Core) {
    this.process = process;
    this.core = core;
  }

  /** Opens the server and follows the store until the process is killed. */
  static async open(process: Process, store: Store): Promise<Server> {
    const core = await openCore({
      store,
      settings: {
        serviceCidrs: ["10.96.0.0/28", "fd00:96::/124"],
        now: () => new Date(process.clock.now()),
      },
      log: quietLog,
      metrics: new Registry(),
      access: () => ({}),
    });
    const forever = new AbortController().signal;
    void core.cache.run(forever);
    void runCompaction({ store, log: quietLog, intervalMs: compactionMs }, forever);
    return new Server(process, core);
  }

  /** Answers a request, as ApiServer does once it has admitted it. */
  handle(asked: ApiRequest, response: HttpResponse): void {
    const request = toHttpRequest(asked);
    const answer = async (): Promise<void> => {
      const info = requestInfo(asked.method, asked.path);
      if (info.resource === undefined) throw new Error(`Cannot answer ${asked.path}: no resource`);
      const exchange = { request, response, info, user: administrator, warnings: [] };
      await route(this.core, { ...exchange, target: info.resource });
    };
    answer().catch((error: unknown) => sendError({ request, response }, toStatusError(error)));
  }
}
