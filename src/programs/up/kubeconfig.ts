import { parse, stringify } from "yaml";

interface Entry {
  name: string;
  readonly cluster?: { server: string; readonly "certificate-authority-data": string };
  readonly context?: { cluster: string; user: string };
}

interface Kubeconfig {
  readonly clusters: readonly Entry[];
  readonly users: readonly Entry[];
  readonly contexts: readonly Entry[];
  "current-context": string;
}

/** Rewrites the server's kubeconfig for another URL, and for use beside those of other clusters. */
export function renamedKubeconfig(text: string, name: string, url: string): string {
  const kubeconfig = parse(text) as Kubeconfig;
  const context = `tandem-${name}`;
  for (const entry of [...kubeconfig.clusters, ...kubeconfig.users, ...kubeconfig.contexts]) {
    entry.name = context;
    if (entry.cluster !== undefined) entry.cluster.server = url;
    if (entry.context !== undefined)
      Object.assign(entry.context, { cluster: context, user: context });
  }
  kubeconfig["current-context"] = context;
  return stringify(kubeconfig, { lineWidth: 0 });
}
