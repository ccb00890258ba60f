import type { ApiAnswer, ApiRequest } from "../../../../api/client/transport.ts";

/** The part of a transport that the datastore needs. */
export interface Sender {
  send(request: ApiRequest): Promise<ApiAnswer>;
  close(): void;
}
