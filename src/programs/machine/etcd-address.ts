// The address of an etcd that the operator has, from options named as kube-apiserver's.

import { UsageError } from "../../base/program/errors.ts";
import { parseStoreAddress } from "../../control/store/store.ts";

export interface EtcdOptions {
  readonly etcdServers: readonly string[];
  readonly etcdCafile?: string | undefined;
  readonly etcdCertfile?: string | undefined;
  readonly etcdKeyfile?: string | undefined;
}

/** Returns what `tandem server --store` takes. */
export function storeAddress(options: EtcdOptions): string {
  const { etcdServers, etcdCafile: ca, etcdCertfile: cert, etcdKeyfile: key } = options;
  if (etcdServers.length === 0) return "embedded";
  const urls = etcdServers.map((text) => {
    const url = URL.parse(text);
    if (url !== null && ["http:", "https:"].includes(url.protocol) && url.port !== "") return url;
    throw new UsageError(
      `Cannot use --etcd-servers "${text}": it is not https://HOST:PORT or http://HOST:PORT`,
    );
  });
  const protocols = new Set(urls.map(({ protocol }) => protocol));
  if (protocols.size > 1) {
    throw new UsageError("Cannot use --etcd-servers: some are https and some http");
  }
  const scheme = protocols.has("https:") ? "etcd" : "etcd+http";
  const files = Object.entries({ ca, cert, key }).flatMap(([name, path]) =>
    path === undefined ? [] : [`${name}=${path}`],
  );
  const query = files.length === 0 ? "" : `?${files.join("&")}`;
  return `${scheme}://${urls.map(({ host }) => host).join(",")}${query}`;
}

/** Returns the options of install for the etcd of a store's address, as for another server that shares it. */
export function etcdWords(store: string): readonly string[] {
  const { type, ...address } = parseStoreAddress(store);
  if (type !== "etcd" || !("endpoints" in address)) return [];
  const { ca, cert, key } = address.files;
  const options = {
    "--etcd-servers": address.endpoints.join(","),
    "--etcd-cafile": ca,
    "--etcd-certfile": cert,
    "--etcd-keyfile": key,
  };
  return Object.entries(options).flatMap(([name, value]) =>
    value === undefined ? [] : [name, value],
  );
}
