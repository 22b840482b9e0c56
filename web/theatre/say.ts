/** A text in each language, beside what it is about. */
export interface Say {
  readonly en: string;
  readonly zh: string;
}
