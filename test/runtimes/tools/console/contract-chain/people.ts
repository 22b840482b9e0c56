/** Who signs in tests of one chain. */

/** An account, and the words in front of a command that sign with it. */
export interface Person {
  readonly address: string;
  readonly words: readonly string[];
}

/** The two accounts of a chain's tests. */
export interface People {
  readonly mine: Person;
  readonly other: Person;
}
