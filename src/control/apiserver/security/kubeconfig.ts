// A self-contained kubeconfig, with all certificates and keys inside.
import { createPrivateKey } from "node:crypto";
import { stringify } from "yaml";
import type { KeyPair } from "./authority.ts";

export interface KubeconfigOptions {
  readonly cluster: string;
  readonly user: string;
  /** The URL of the server, `https://host:port`. */
  readonly server: string;
  readonly authority: string;
  readonly client: KeyPair;
}

export function kubeconfig(options: KubeconfigOptions): string {
  const { cluster, user, server, authority, client } = options;
  const context = `${user}@${cluster}`;
  return stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [
      { name: cluster, cluster: { server, "certificate-authority-data": base64(authority) } },
    ],
    users: [
      {
        name: user,
        user: {
          "client-certificate-data": base64(client.certificate),
          "client-key-data": base64(sec1(client.key)),
        },
      },
    ],
    contexts: [{ name: context, context: { cluster, user } }],
    "current-context": context,
  });
}

/** Converts a key to `EC PRIVATE KEY`: some clients (fabric8) read no other form, and all read this. */
function sec1(key: string): string {
  return createPrivateKey(key).export({ type: "sec1", format: "pem" });
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}
