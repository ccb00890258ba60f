// Asks a server of the cluster for two certificates of a node: one as a client, one for its own server.
import { staticCredentials } from "../../api/client/access.ts";
import { connect } from "../../api/client/connect.ts";
import { isForbidden, isUnauthorized } from "../../api/client/errors.ts";
import type { Transport } from "../../api/client/transport.ts";
import type { Clock } from "../../base/host/clock.ts";
import type { CallOptions } from "../../base/host/command.ts";
import type { Random } from "../../base/host/random.ts";
import type { Address } from "../../base/net/address.ts";
import { createCertificateRequest } from "./certificate-request.ts";
import { JoinError } from "./error.ts";
import type { Identity } from "./identity.ts";

export interface Wish {
  readonly server: URL;
  readonly nodeName: string;
  /** The addresses in the node's serving certificate. */
  readonly addresses: readonly Address[];
}

interface Answer {
  readonly authority: string;
  readonly clientCertificate: string;
  readonly servingCertificate: string;
}

/** Requests certificates for a machine that is not a node yet: a token proves that it may become one. */
export async function certifyWithToken(
  wish: Wish & { readonly authority: string; readonly token: string },
  { clock, random, signal }: CallOptions & { readonly clock: Clock; readonly random: Random },
): Promise<Identity> {
  const { server, authority, token } = wish;
  const credentials = staticCredentials({ authorization: `Bearer ${token}` });
  const access = { server, authorities: authority, credentials, namespace: "default" };
  const { transport } = connect(access, { component: "tandem-agent", clock, random });
  try {
    return await certify(wish, transport, { signal });
  } catch (cause) {
    if (!isUnauthorized(cause)) throw cause;
    const state = "the token is not valid, or has expired";
    throw new JoinError("Refused", server, state, { cause });
  } finally {
    transport.close();
  }
}

/** Requests certificates; the transport's credentials prove who asks. */
export async function certify(
  { server, nodeName, addresses }: Wish,
  transport: Transport,
  { signal }: CallOptions = {},
): Promise<Identity> {
  const [client, serving] = [await createCertificateRequest(), await createCertificateRequest()];
  try {
    const { body } = await transport.send({
      method: "POST",
      path: "/tandem/join",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        nodeName,
        addresses,
        clientRequest: client.request,
        servingRequest: serving.request,
      }),
      signal,
    });
    const answer = JSON.parse(body.toString()) as Answer;
    return {
      authority: answer.authority,
      client: { certificate: answer.clientCertificate, key: client.key },
      serving: { certificate: answer.servingCertificate, key: serving.key },
    };
  } catch (cause) {
    if (!isForbidden(cause)) throw cause;
    throw new JoinError("Refused", server, cause.message, { cause });
  }
}
