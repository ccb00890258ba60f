import { dirname, resolve } from "node:path";
import type { Files } from "../../../base/host/files.ts";
import type { Access } from "../access.ts";
import type { Fields } from "./fields.ts";

export async function clusterOf(
  { files }: { readonly files: Files },
  cluster: Fields,
): Promise<Pick<Access, "server" | "authorities" | "serverName" | "insecure">> {
  const text = cluster.required("server");
  const server = URL.parse(text);
  if (server === null || !/^https?:$/.test(server.protocol)) {
    return cluster.fail("server", `is "${text}", which is no https:// address`);
  }
  if (cluster.has("proxy-url")) return cluster.fail("proxy-url", "is not supported");
  const insecure = cluster.flag("insecure-skip-tls-verify");
  const authorities = await readPem(files, cluster, "certificate-authority");
  if (insecure && authorities !== undefined) {
    return cluster.fail("insecure-skip-tls-verify", "is true beside a certificate-authority");
  }
  return { server, authorities, serverName: cluster.text("tls-server-name"), insecure };
}

/** Reads PEM from the file itself (`NAME-data`, which takes precedence) or from another one (`NAME`). */
export async function readPem(
  files: Files,
  fields: Fields,
  name: string,
): Promise<string | undefined> {
  const inline = fields.text(`${name}-data`);
  if (inline !== undefined) {
    const text = Buffer.from(inline, "base64").toString();
    return isPem(text) ? text : fields.fail(`${name}-data`, "is no PEM in base64");
  }
  const path = pathIn(fields, name);
  if (path === undefined) return undefined;
  const text = await files.read(path);
  if (text === undefined) return fields.fail(name, `is ${path}, which does not exist`);
  return isPem(text) ? text : fields.fail(name, `is ${path}, which holds no PEM`);
}

/** The path in a field; a relative one starts at the kubeconfig file. */
export function pathIn(fields: Fields, name: string): string | undefined {
  const path = fields.text(name);
  return path === undefined ? undefined : resolve(dirname(fields.place.file), path);
}

function isPem(text: string): boolean {
  return text.includes("-----BEGIN ");
}
