/** Starts the page: connects to the backend, then draws. A page that cannot connect says so instead of staying white. */
import { mount } from 'svelte';
import App from './App.svelte';

const target = document.getElementById('app');
if (target) mount(App, { target });
