import { defined } from "../../../base/json/defined.ts";
import { type Fields } from "./fields.ts";

/** The datastore of reservations, and how to connect to it. */
export type DatastoreSettings = LocalSettings | EtcdSettings | KubernetesSettings;

export interface LocalSettings {
  readonly type: "local";
  readonly dataDir: string;
}

export interface EtcdSettings {
  readonly type: "etcd";
  readonly endpoints: readonly string[];
  readonly username?: string;
  readonly password?: string;
  readonly caFile?: string;
  readonly certFile?: string;
  readonly keyFile?: string;
}

export interface KubernetesSettings {
  readonly type: "kubernetes";
  /** The kubeconfig; without one, the service account of the pod that the plugin runs in. */
  readonly kubeconfig?: string;
  /** The URL of the API server, in place of the one in the kubeconfig. */
  readonly server?: string;
}

const defaultDataDir = "/var/lib/tandem/ipam";

export function readDatastore(ipam: Fields): DatastoreSettings {
  const type = ipam.text("datastore") ?? "kubernetes";
  switch (type) {
    case "local":
      return { type, dataDir: ipam.text("data_dir") ?? defaultDataDir };
    case "etcd":
      return readEtcd(ipam);
    case "kubernetes":
      return readKubernetes(ipam);
    default:
      throw ipam.refused("datastore", "it must be one of kubernetes, etcd, local");
  }
}

function readEtcd(ipam: Fields): EtcdSettings {
  const host = ipam.text("etcd_host");
  if (host === undefined) throw ipam.refused("etcd_host", "the datastore etcd needs it");
  const files = {
    ...defined({
      caFile: ipam.text("etcd_ca_cert_file"),
      certFile: ipam.text("etcd_cert_file"),
      keyFile: ipam.text("etcd_key_file"),
    }),
  };
  const scheme = Object.keys(files).length > 0 ? "https" : "http";
  return {
    type: "etcd",
    endpoints: host.split(",").map((one) => withScheme(one.trim(), scheme)),
    ...defined({ username: ipam.text("etcd_username"), password: ipam.text("etcd_password") }),
    ...files,
  };
}

function readKubernetes(ipam: Fields): KubernetesSettings {
  const settings = ipam.object("kubernetes");
  return {
    type: "kubernetes",
    ...defined({
      kubeconfig: settings?.text("kubeconfig"),
      server: settings?.text("k8s_api_root") ?? ipam.text("k8s_api_root"),
    }),
  };
}

function withScheme(endpoint: string, scheme: string): string {
  return /^https?:\/\//.test(endpoint) ? endpoint : `${scheme}://${endpoint}`;
}
