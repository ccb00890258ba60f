// Authenticates client certificates, which TLS has already verified against the cluster's root.
import { TLSSocket } from "node:tls";
import type { Authenticator, Credentials, User } from "../access.ts";

export function clientCertificates(): Authenticator {
  const known = new WeakMap<object, User>();
  return {
    authenticate({ socket }: Credentials): User | undefined {
      const cached = known.get(socket);
      if (cached !== undefined) return cached;
      if (!isAuthorizedTls(socket)) return undefined;
      const user = userOf(socket);
      if (user !== undefined) known.set(socket, user);
      return user;
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

function userOf(socket: TLSSocket): User | undefined {
  const { subject } = socket.getPeerCertificate();
  const name = first(subject?.CN);
  if (name === undefined) return undefined;
  return { name, groups: all(subject.O) };
}

function first(value: string | string[] | undefined): string | undefined {
  return all(value)[0];
}

function all(value: string | string[] | undefined): string[] {
  if (value === undefined) return [];
  return typeof value === "string" ? [value] : value;
}
