/** What a page says to the page of a task that it has just started: its end leads on, however soon it comes. */
export const JUST_STARTED = "just started";
