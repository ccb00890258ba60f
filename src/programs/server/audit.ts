// Wires the audit log of a server: the policy, the file and the webhook.

import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import type { Access } from "../../api/client/access.ts";
import { loadAccess } from "../../api/client/kubeconfig.ts";
import { systemClock } from "../../base/host/clock.system.ts";
import { systemCommands } from "../../base/host/command.system.ts";
import { systemFiles } from "../../base/host/files.system.ts";
import { defined } from "../../base/json/defined.ts";
import type { Log } from "../../base/program/log.ts";
import type { AuditSink } from "../../control/apiserver/apiserver.ts";
import {
  AuditWebhook,
  type Policy,
  parsePolicy,
  RotatingFile,
  usualPolicy,
} from "../../control/apiserver/apiserver.ts";

export interface AuditSettings {
  readonly auditLog?: string | undefined;
  readonly auditLogPath?: string | undefined;
  readonly auditPolicyFile?: string | undefined;
  readonly auditLogMaxsize: number;
  readonly auditLogMaxbackup: number;
  readonly auditLogMaxage: number;
  readonly auditWebhookConfigFile?: string | undefined;
  readonly auditWebhookBatchMaxSize: number;
  readonly auditWebhookBatchMaxWait: number;
  readonly auditWebhookBatchBufferSize: number;
  readonly log: Log;
}

export interface OpenAudit extends AsyncDisposable {
  readonly policy: Policy;
  readonly write: AuditSink;
}

const megabyte = 1024 * 1024;
const retryMs = 1000;
const answerMs = 30_000;

/** Opens the audit log; returns `undefined` if no option asks for one. */
export async function openAudit(settings: AuditSettings): Promise<OpenAudit | undefined> {
  const { auditLogPath, auditLog: path = auditLogPath, auditWebhookConfigFile, log } = settings;
  const policy = await readPolicy(settings.auditPolicyFile);
  if (path === undefined && auditWebhookConfigFile === undefined) return undefined;
  const file =
    path === undefined
      ? undefined
      : new RotatingFile({
          path,
          maxSize: settings.auditLogMaxsize * megabyte,
          maxBackups: settings.auditLogMaxbackup,
          maxAge: settings.auditLogMaxage,
          log,
        });
  const webhook = auditWebhookConfigFile && (await openWebhook(auditWebhookConfigFile, settings));
  const stop = new AbortController();
  const running = webhook ? webhook.run(stop.signal) : Promise.resolve();
  return {
    policy,
    write(line) {
      file?.write(line);
      if (webhook) webhook.write(line);
    },
    async [Symbol.asyncDispose]() {
      stop.abort();
      await running;
      await file?.[Symbol.asyncDispose]();
    },
  };
}

async function readPolicy(file: string | undefined): Promise<Policy> {
  if (file === undefined) return usualPolicy;
  const text = await systemFiles.read(file);
  if (text === undefined) throw new Error(`Cannot read the audit policy ${file}: there is none`);
  return parsePolicy(text, file);
}

async function openWebhook(file: string, settings: AuditSettings): Promise<AuditWebhook> {
  const machine = { files: systemFiles, commands: systemCommands(), clock: systemClock };
  const access = await loadAccess({ ...machine, environment: {} }, { file });
  return new AuditWebhook({
    post: (body) => post(access, body),
    log: settings.log,
    bufferSize: settings.auditWebhookBatchBufferSize,
    maxBatch: settings.auditWebhookBatchMaxSize,
    maxWaitMs: settings.auditWebhookBatchMaxWait,
    retryMs,
  });
}

async function post(access: Access, body: string): Promise<void> {
  const { server, authorities, credentials, insecure } = access;
  const { authorization, certificate, key } = await credentials.current();
  const send = server.protocol === "http:" ? httpRequest : httpsRequest;
  await new Promise<void>((resolve, reject) => {
    const outgoing = send(
      server,
      {
        method: "POST",
        timeout: answerMs,
        ...defined({ ca: authorities }),
        ...(certificate === undefined ? {} : { cert: certificate, key }),
        rejectUnauthorized: insecure !== true,
        headers: {
          "content-type": "application/json",
          "content-length": Buffer.byteLength(body),
          ...defined({ authorization }),
        },
      },
      (answer) => {
        answer.resume();
        const { statusCode = 0 } = answer;
        if (statusCode >= 200 && statusCode < 300) answer.on("end", resolve);
        else reject(new Error(`Cannot deliver audit events to ${server.href}: ${statusCode}`));
      },
    );
    outgoing.on("timeout", () => outgoing.destroy(new Error("the webhook does not answer")));
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}
