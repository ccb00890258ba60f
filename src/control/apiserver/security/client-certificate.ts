// Authenticates client certificates, which TLS has already verified against the cluster's root.
import { TLSSocket } from "node:tls";
import type { Authenticator, Credentials, User } from "../access.ts";

interface Known {
  readonly user: User;
  /** The time until which the certificate is valid: connections may outlive it. */
  readonly until: number;
}

export function clientCertificates(now: () => number = Date.now): Authenticator {
  const byConnection = new WeakMap<object, Known>();
  return {
    authenticate({ socket, stream }: Credentials): User | undefined {
      const connection = stream?.session ?? socket;
      let known = byConnection.get(connection);
      if (known === undefined) {
        if (!isAuthorizedTls(socket)) return undefined;
        known = userOf(socket);
        if (known === undefined) return undefined;
        byConnection.set(connection, known);
      }
      if (known.until < now())
        throw new Error(`Cannot let in ${known.user.name}: the certificate has expired`);
      return known.user;
    },
  };
}

/** Returns whether TLS verified a certificate. HTTP/2 proxies its socket, so the class does not tell. */
function isAuthorizedTls(socket: Credentials["socket"]): socket is TLSSocket {
  return (
    (socket instanceof TLSSocket || "encrypted" in socket) &&
    "authorized" in socket &&
    socket.authorized === true
  );
}

function userOf(socket: TLSSocket): Known | undefined {
  const { subject, valid_to } = socket.getPeerCertificate();
  const name = first(subject?.CN);
  if (name === undefined) return undefined;
  return { user: { name, groups: all(subject.O) }, until: Date.parse(valid_to) };
}

function first(value: string | string[] | undefined): string | undefined {
  return all(value)[0];
}

function all(value: string | string[] | undefined): string[] {
  if (value === undefined) return [];
  return typeof value === "string" ? [value] : value;
}
