// Errors of containers and images, with their reason as a value. Callers of images use the predicates below.

type ContainerReason =
  | "not-found"
  | "not-running"
  | "not-possible-here"
  | "not-mountable"
  | "failed";

export class ContainerError extends Error {
  override readonly name = "ContainerError";
  readonly reason: ContainerReason;

  constructor(message: string, options: ErrorOptions & { readonly reason: ContainerReason }) {
    super(message, options);
    this.reason = options.reason;
  }
}

/** Returns whether a volume or file could not be mounted as the pod specifies. */
export function isNotMountable(error: unknown): error is ContainerError {
  return error instanceof ContainerError && error.reason === "not-mountable";
}

type ImageReason = "never-pulled" | "invalid-name" | "refused" | "in-use" | "not-had";

export class ImageError extends Error {
  override readonly name = "ImageError";
  readonly reason: ImageReason;

  constructor(message: string, options: ErrorOptions & { readonly reason: ImageReason }) {
    super(message, options);
    this.reason = options.reason;
  }
}

/** Returns whether the pull policy is Never and the image is not present. */
export function isImageNeverPulled(error: unknown): error is ImageError {
  return error instanceof ImageError && error.reason === "never-pulled";
}

export function isImageNameInvalid(error: unknown): error is ImageError {
  return error instanceof ImageError && error.reason === "invalid-name";
}

/** Returns whether the image is a built-in one that is not allowed on this node. */
export function isImageRefused(error: unknown): error is ImageError {
  return error instanceof ImageError && error.reason === "refused";
}
