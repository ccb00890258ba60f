// An etcd of the operator's, beside machines: with TLS, on a host of their network.

import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createAuthority, openAuthority } from "../../src/control/apiserver/security/authority.ts";
import type { LanHost } from "../fixtures/lan.ts";

export interface OperatorsEtcd {
  /** Name → text of the files that a client needs. */
  readonly files: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

/** Starts etcd at the host's first address. It answers soon: its clients try again. */
export async function startOperatorsEtcd(host: LanHost, scratch: string): Promise<OperatorsEtcd> {
  const now = () => new Date();
  const root = await createAuthority("operator", { now });
  const authority = await openAuthority(root, { now });
  const address = "192.168.223.99";
  const server = await authority.issueServer(
    { commonName: "etcd" },
    { dnsNames: [], addresses: [address] },
  );
  const client = await authority.issueClient({ commonName: "client" });
  const directory = join(scratch, "operators-etcd");
  await mkdir(directory);
  const path = (name: string) => join(directory, name);
  await writeFile(path("ca.crt"), root.certificate);
  await writeFile(path("server.crt"), server.certificate);
  await writeFile(path("server.key"), server.key, { mode: 0o600 });
  const clients = `https://${address}:2379`;
  const running = await host.commands.start(
    [
      "etcd",
      `--data-dir=${path("data")}`,
      `--listen-client-urls=${clients}`,
      `--advertise-client-urls=${clients}`,
      `--listen-peer-urls=https://${address}:2380`,
      `--initial-advertise-peer-urls=https://${address}:2380`,
      `--initial-cluster=default=https://${address}:2380`,
      "--client-cert-auth",
      `--trusted-ca-file=${path("ca.crt")}`,
      ...["", "peer-"].flatMap((use) => [
        `--${use}cert-file=${path("server.crt")}`,
        `--${use}key-file=${path("server.key")}`,
      ]),
    ],
    { diesWithParent: true },
  );
  return {
    files: {
      "ca.crt": root.certificate,
      "client.crt": client.certificate,
      "client.key": client.key,
    },
    stop: async () => void (await running.stop()),
  };
}
