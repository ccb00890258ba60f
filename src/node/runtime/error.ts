// Why a container or an image could not be had, as a value. Callers of images ask the predicates below.

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

/** Something that the pod gives a container cannot be mounted as the pod says. */
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

/** The policy is Never, and the image is not there. */
export function isImageNeverPulled(error: unknown): error is ImageError {
  return error instanceof ImageError && error.reason === "never-pulled";
}

export function isImageNameInvalid(error: unknown): error is ImageError {
  return error instanceof ImageError && error.reason === "invalid-name";
}

/** A built-in image that is not allowed on this node. */
export function isImageRefused(error: unknown): error is ImageError {
  return error instanceof ImageError && error.reason === "refused";
}
