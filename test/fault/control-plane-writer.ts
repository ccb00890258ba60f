// Writes for as long as it lives, and tells of every answer, a line each:
// `node control-plane-writer.ts '{"kubeconfig": "…", "token": "…", "servers": {"IPv4": "https://…"}}'`.

import type { Access } from "../../src/api/client/access.ts";
import { staticCredentials } from "../../src/api/client/access.ts";
import { connect } from "../../src/api/client/connect.ts";
import {
  ApiError,
  isTimeout,
  isTooManyRequests,
  isUnavailable,
} from "../../src/api/client/errors.ts";
import { loadAccess } from "../../src/api/client/kubeconfig/load.ts";
import { systemClock } from "../../src/base/host/clock.system.ts";
import { systemCommands } from "../../src/base/host/command.system.ts";
import { systemFiles } from "../../src/base/host/files.system.ts";
import { systemRandom } from "../../src/base/host/random.system.ts";

export interface WriterOptions {
  /** Whose authority the servers are trusted by. */
  readonly kubeconfig: string;
  readonly token: string;
  /** By their families. */
  readonly servers: Readonly<Record<string, string>>;
}

export interface WriteOutcome {
  readonly at: number;
  readonly family: string;
  readonly name: string;
  /** Why it was not acknowledged; what became of it is not known. */
  readonly failure?: string;
  /** Whether a client would try again. */
  readonly isRetryable?: boolean;
}

export const writtenLabel = "tandem.internal/written";

const writersPerFamily = 3;
const timeoutMs = 1_000;
const pauseMs = 25;

async function main({ kubeconfig, token, servers }: WriterOptions): Promise<void> {
  const machine = {
    files: systemFiles,
    commands: systemCommands(),
    clock: systemClock,
    environment: process.env,
  };
  const access = await loadAccess(machine, { file: kubeconfig });
  const credentials = staticCredentials({ authorization: `Bearer ${token}` });
  const writers = Object.entries(servers).flatMap(([family, url]) =>
    Array.from({ length: writersPerFamily }, (_, index) =>
      write({ ...access, credentials, server: new URL(url) }, { family, index }),
    ),
  );
  await Promise.all(writers);
}

/** Has connections of its own, so that one that is stuck holds up nobody else. */
async function write(
  access: Access,
  { family, index }: { readonly family: string; readonly index: number },
): Promise<never> {
  const client = connect(access, { component: "writer", clock: systemClock, random: systemRandom });
  const configMaps = client.resource("v1", "ConfigMap");
  for (let serial = 0; ; serial += 1) {
    const name = `${family.toLowerCase()}-${index}-${serial}`;
    const metadata = { name, namespace: "default", labels: { [writtenLabel]: "" } };
    try {
      await configMaps.create({ metadata, data: { name } }, { timeoutMs });
      tell({ at: Date.now(), family, name });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const isRetryable = isUnavailable(error) || isTimeout(error) || isTooManyRequests(error);
      const failure = `${error.reason}: ${error.message}`;
      tell({ at: Date.now(), family, name, failure, isRetryable });
    }
    await systemClock.sleep(pauseMs);
  }
}

function tell(outcome: WriteOutcome): void {
  process.stdout.write(`${JSON.stringify(outcome)}\n`);
}

if (import.meta.main) await main(JSON.parse(process.argv[2] ?? "{}") as WriterOptions);
