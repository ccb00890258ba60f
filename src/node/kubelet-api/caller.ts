// Callers of the kubelet API: only the API server may call. Its certificate is signed by the cluster's root,
// like those of nodes and people; it is recognised by its name, which the root gives to nobody else.
import type { TLSSocket } from "node:tls";
import type { Refusal } from "./error.ts";

/** The names of API server certificates: our own, and the one that other installers use. */
const apiServers = ["kube-apiserver", "kube-apiserver-kubelet-client"];

/** Returns why the caller is refused; `undefined` if it may call. */
export function refusalOf(
  socket: Pick<TLSSocket, "authorized" | "getPeerCertificate">,
): Refusal | undefined {
  if (!socket.authorized) {
    return { status: 401, message: "Cannot answer: a certificate of the cluster is required" };
  }
  const names = [socket.getPeerCertificate().subject?.CN ?? []].flat();
  if (names.length === 1 && apiServers.includes(names[0] ?? "")) return undefined;
  const who = names.join(", ") || "nobody";
  return { status: 403, message: `Cannot answer ${who}: only the API server may ask a node` };
}
