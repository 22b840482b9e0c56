/** A text in each language, next to what it is about. */
export interface Say {
  readonly en: string;
  readonly zh: string;
}
