// Wires log-in for users of other systems: OIDC issuers named in a file, and a webhook that verifies tokens.

import { loadAccess } from "../../api/client/kubeconfig.ts";
import { systemClock } from "../../base/host/clock.system.ts";
import { systemCommands } from "../../base/host/command.system.ts";
import { systemFiles } from "../../base/host/files.system.ts";
import { defined } from "../../base/json/defined.ts";
import { UsageError } from "../../base/program/errors.ts";
import type { Log } from "../../base/program/log.ts";
import type { TokenVerifier } from "../../control/apiserver/apiserver.ts";
import {
  defaultLogIn,
  type LogInSettings,
  readAuthentication,
  tokenWebhook,
} from "../../control/apiserver/apiserver.ts";

export interface LogInOptions {
  readonly authenticationConfig?: string | undefined;
  readonly authenticationTokenWebhookConfigFile?: string | undefined;
  readonly serviceAccountIssuer: string;
  readonly log: Log;
}

export interface LogIn {
  readonly logIn: LogInSettings;
  readonly verifiers: readonly TokenVerifier[];
}

/** Opens the authenticators. Throws if a file is missing or unusable, so call it before anything runs. */
export async function openLogIn(options: LogInOptions): Promise<LogIn> {
  const { authenticationConfig: file } = options;
  const logIn = file === undefined ? defaultLogIn : readAuthentication(await textOf(file), file);
  return { logIn, verifiers: await webhooksOf(options) };
}

async function webhooksOf(options: LogInOptions): Promise<readonly TokenVerifier[]> {
  const { authenticationTokenWebhookConfigFile: file, serviceAccountIssuer, log } = options;
  if (file === undefined) return [];
  const commands = systemCommands();
  const machine = { files: systemFiles, commands, clock: systemClock, environment: {} };
  const { server, authorities, serverName, credentials } = await loadAccess(machine, { file });
  if (server.protocol !== "https:") {
    throw new UsageError(`Cannot use ${file}: ${server.href} is no https:// address`);
  }
  const target = async () => {
    const { authorization, certificate, key } = await credentials.current();
    return {
      url: server.href,
      tls: defined({ ca: authorities, servername: serverName, cert: certificate, key }),
      headers: authorization === undefined ? {} : { authorization },
    };
  };
  return [tokenWebhook({ target, audiences: [serviceAccountIssuer], now: Date.now, log })];
}

async function textOf(file: string): Promise<string> {
  const text = await systemFiles.read(file);
  if (text === undefined) throw new UsageError(`Cannot use ${file}: there is no such file`);
  return text;
}
