// The fixture of the kubeconfig tests.

import { stringify } from "yaml";
import { FakeClock } from "../../../../base/host/clock.fake.ts";
import { FakeCommands } from "../../../../base/host/command.fake.ts";
import { FakeFiles } from "../../../../base/host/files.fake.ts";

export const pem = (text: string) =>
  `-----BEGIN CERTIFICATE-----\n${text}\n-----END CERTIFICATE-----\n`;
export const base64 = (text: string) => Buffer.from(text).toString("base64");

export interface Parts {
  readonly cluster?: object;
  readonly user?: object;
  readonly context?: object;
  readonly name?: string;
}

export function kubeconfigText({
  cluster = {},
  user = {},
  context = {},
  name = "one",
}: Parts = {}): string {
  return stringify({
    clusters: [{ name, cluster: { server: "https://127.0.0.1:6443", ...cluster } }],
    users: [{ name, user }],
    contexts: [{ name, context: { cluster: name, user: name, ...context } }],
    "current-context": name,
  });
}

export async function machineWith(texts: Readonly<Record<string, string>>, environment = {}) {
  const files = new FakeFiles();
  for (const [path, text] of Object.entries(texts)) await files.write(path, text);
  const commands = new FakeCommands();
  const clock = new FakeClock();
  return { files, commands, clock, environment: { HOME: "/home/a", ...environment } };
}
