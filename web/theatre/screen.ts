/** The picture alone on the whole screen, for a class that examines a wall. */

/**
 * Goes to the whole screen, and back. The style does the rest: the document is what is shown
 * there, so that messages of the page and dialogs are seen too.
 */
export function toggleScreen(): void {
  if (document.fullscreenElement) void document.exitFullscreen();
  else void document.documentElement.requestFullscreen?.().catch(() => undefined);
}

/** Back to the page, where the whole screen was used. */
export function leaveScreen(): void {
  if (document.fullscreenElement) void document.exitFullscreen();
}
