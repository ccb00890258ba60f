// The transport: one HTTP request and its answer, for callers that need no typed client.

export { type ApiAnswer, type ApiRequest, actionOf, type Transport } from "./transport/message.ts";
export { HttpTransport } from "./transport/transport.ts";
