// Items in key order: a sorted array, cut into pieces so that an insertion moves few of them.

interface Keyed {
  readonly key: string;
}

const longestPiece = 512;

export class Ordered<T extends Keyed> {
  /** The pieces, none of them empty unless it is the only one. */
  readonly #pieces: T[][] = [[]];

  get(key: string): T | undefined {
    const { piece, index } = this.#find(key);
    const item = piece[index];
    return item?.key === key ? item : undefined;
  }

  /** Replaces the item with the same key, and returns the old one. */
  set(item: T): T | undefined {
    const { piece, index, number } = this.#find(item.key);
    const old = piece[index];
    if (old?.key === item.key) {
      piece[index] = item;
      return old;
    }
    piece.splice(index, 0, item);
    if (piece.length > longestPiece) {
      this.#pieces.splice(number + 1, 0, piece.splice(longestPiece / 2));
    }
    return undefined;
  }

  delete(key: string): void {
    const { piece, index, number } = this.#find(key);
    if (piece[index]?.key !== key) return;
    piece.splice(index, 1);
    if (piece.length === 0 && this.#pieces.length > 1) this.#pieces.splice(number, 1);
  }

  /** Iterates from the given key on. The items must not change meanwhile. */
  *from(key: string): Generator<T> {
    const { number, index } = this.#find(key);
    for (let n = number, i = index; n < this.#pieces.length; n++, i = 0) {
      const piece = this.#piece(n);
      for (; i < piece.length; i++) yield piece[i] as T;
    }
  }

  /** Counts the items with a key from `start` on and before `end`. */
  count(start: string, end: string): number {
    const from = this.#find(start);
    const to = this.#find(end);
    let count = to.index - from.index;
    for (let n = from.number; n < to.number; n++) count += this.#piece(n).length;
    return count;
  }

  /** Returns where the key is, or would be inserted. */
  #find(key: string): { number: number; piece: T[]; index: number } {
    let number = 0;
    for (let high = this.#pieces.length - 1; number < high; ) {
      const middle = (number + high + 1) >> 1;
      const first = this.#piece(middle)[0] as T;
      if (first.key <= key) number = middle;
      else high = middle - 1;
    }
    const piece = this.#piece(number);
    let index = 0;
    for (let high = piece.length; index < high; ) {
      const middle = (index + high) >> 1;
      if ((piece[middle] as T).key < key) index = middle + 1;
      else high = middle;
    }
    return { number, piece, index };
  }

  #piece(number: number): T[] {
    return this.#pieces[number] as T[];
  }
}
