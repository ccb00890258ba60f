// Who may ask a node: the API server. Its certificate is of the cluster's root, as are those of nodes and
// people; what tells it from theirs is its name, which the root gives to nobody else.
import type { TLSSocket } from "node:tls";
import type { Refusal } from "./error.ts";

/** Ours, and what others' installers call theirs. */
const apiServers = ["kube-apiserver", "kube-apiserver-kubelet-client"];

/** Nothing when the caller may ask. */
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
