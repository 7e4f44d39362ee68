// C0 but for tab and newline, DEL, C1, and the marks that reorder text: a transcript can hold any of them,
// and a terminal would obey.
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Text that is safe on a terminal. The form is JSON's own, so a JSON document stays one and means the same. */
export function escapeControl(text: string): string {
  return text.replace(CONTROL, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
