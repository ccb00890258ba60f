/** The functions of Kubernetes that cost 1, whatever they are called with. */
export const nominal = new Set(
  (
    "serviceAccount path group resource subresource namespace name allowed reason error errored " +
    "masked prefixLength family isUnspecified isLoopback isLinkLocalMulticast isLinkLocalUnicast " +
    "isGlobalUnicast format.named sign asInteger isInteger asApproximateFloat isGreaterThan " +
    "isLessThan compareTo add sub major minor patch getScheme getHostname getHost getPort " +
    "getEscapedPath getQuery"
  ).split(" "),
);
