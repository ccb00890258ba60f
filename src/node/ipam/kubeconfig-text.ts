// The kubeconfig by which the plugin reaches the API: a service account's token, and where its reservations are.

export interface PluginAccess {
  readonly server: URL;
  /** How the server is known: by the certificates of a file, or by these in PEM. */
  readonly authority: { readonly file: string } | { readonly certificates: string };
  /** The service account; reservations are in its namespace. */
  readonly account: { readonly namespace: string; readonly name: string };
  readonly token: string;
}

/** Returns a kubeconfig in JSON, which is valid YAML. */
export function kubeconfigText({ server, authority, account, token }: PluginAccess): string {
  const [cluster, user] = ["tandem", account.name];
  const context = { cluster, user, namespace: account.namespace };
  const known =
    "file" in authority
      ? { "certificate-authority": authority.file }
      : {
          "certificate-authority-data": Buffer.from(authority.certificates).toString("base64"),
        };
  const config = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: cluster, cluster: { server: server.origin, ...known } }],
    users: [{ name: user, user: { token } }],
    contexts: [{ name: `${user}@${cluster}`, context }],
    "current-context": `${user}@${cluster}`,
  };
  return `${JSON.stringify(config, null, 2)}\n`;
}
