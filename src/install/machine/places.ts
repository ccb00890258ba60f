// Where things are on a machine that the package is installed on.

export const machinePlaces = {
  configuration: "/etc/tandem",
  /** The data of the server, and of the agent. */
  server: "/var/lib/tandem",
  agent: "/var/lib/tandem-agent",
  /** What ends with the machine's uptime. */
  agentRun: "/run/tandem-agent",
  cache: "/var/cache/tandem",
  /** The data of the etcd that install runs, and its root and certificate. */
  etcd: "/var/lib/tandem/etcd",
  etcdPki: "/var/lib/tandem/etcd-pki",
  /** The kubeconfig of the administrator, on machines with an API server. */
  kubeconfig: "/var/lib/tandem/admin.kubeconfig",
  /** The settings of the kernel as they were before the machine got its role. */
  before: "/etc/tandem/before-install.json",
  cgroup: "/tandem",
} as const;

export function configPath(service: string): string {
  return `${machinePlaces.configuration}/${service}.yaml`;
}
