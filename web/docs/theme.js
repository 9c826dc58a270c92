// Applies the theme that the reader chose in the screens.
const theme = localStorage.getItem('daybook.theme');
if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
