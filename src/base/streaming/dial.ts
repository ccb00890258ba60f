// Connections that a node makes on behalf of the API server: after the upgrade, bytes pass as they are.
import { type Duplex, pipeline } from "node:stream";

/** The name of the protocol in the Upgrade header. */
export const dialProtocol = "tandem-dial";

/** Joins two connections: each end is passed on, and a connection that breaks off takes the other with it. */
export function joinConnections(left: Duplex, right: Duplex): void {
  pipeline(left, right, (error) => void (error && right.destroy()));
  pipeline(right, left, (error) => void (error && left.destroy()));
}
